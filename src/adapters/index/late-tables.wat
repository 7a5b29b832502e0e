;; Looks up a question's tables for sixteen pieces of a passage at a time (André, Kermarrec and Le Scouarnec, "Cache locality is not enough: PQ Fast
;; Scan", 2015). JavaScript has no way to say that, and takes eight times as long.
;; The build assembles it (src/assembly.ts).
(module
  (memory (export "memory") 1)

  ;; $groups of sixteen pieces from $pieces on, each 64 times sixteen bytes: the first four signs of all sixteen, the next four, and so on, as numbers
  ;; below 16. $count tables from $tables on, each 64 times 32 bytes: what those four signs add, sixteen lower bytes and sixteen upper ones of at most
  ;; 3. Writes $count 32-bit numbers to $out: for each table the largest sum of any piece. $groups and $count are above zero.
  (func (export "largest")
    (param $pieces i32) (param $groups i32) (param $tables i32) (param $count i32) (param $out i32)
    (local $table i32) (local $end i32) (local $signs i32) (local $left i32)
    (local $four v128) (local $found v128) (local $even v128) (local $odd v128) (local $upper v128) (local $best v128)
    (loop $next
      (local.set $best (v128.const i32x4 0 0 0 0))
      (local.set $end (i32.add (local.get $tables) (i32.const 2048)))
      (local.set $signs (local.get $pieces))
      (local.set $left (local.get $groups))
      (loop $group
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (local.set $upper (v128.const i32x4 0 0 0 0))
        (local.set $table (local.get $tables))
        (loop $look
          (local.set $four (v128.load (local.get $signs)))
          (local.set $found (i8x16.swizzle (v128.load (local.get $table)) (local.get $four)))
          (local.set $even
            (i16x8.add (local.get $even) (v128.and (local.get $found) (v128.const i32x4 0x00ff00ff 0x00ff00ff 0x00ff00ff 0x00ff00ff))))
          (local.set $odd (i16x8.add (local.get $odd) (i16x8.shr_u (local.get $found) (i32.const 8))))
          (local.set $upper
            (i8x16.add (local.get $upper) (i8x16.swizzle (v128.load offset=16 (local.get $table)) (local.get $four))))
          (local.set $signs (i32.add (local.get $signs) (i32.const 16)))
          (local.set $table (i32.add (local.get $table) (i32.const 32)))
          (br_if $look (i32.lt_u (local.get $table) (local.get $end))))
        (local.set $even (i16x8.add (local.get $even) (i16x8.shl (local.get $upper) (i32.const 8))))
        (local.set $odd
          (i16x8.add (local.get $odd) (v128.and (local.get $upper) (v128.const i32x4 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00))))
        (local.set $best (i16x8.max_u (local.get $best) (i16x8.max_u (local.get $even) (local.get $odd))))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $group (local.get $left)))
      ;; The largest of the eight: fold in halves.
      (local.set $best
        (i16x8.max_u
          (local.get $best)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $best) (local.get $best))))
      (local.set $best
        (i16x8.max_u
          (local.get $best)
          (i8x16.shuffle 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 (local.get $best) (local.get $best))))
      (local.set $best
        (i16x8.max_u
          (local.get $best)
          (i8x16.shuffle 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 (local.get $best) (local.get $best))))
      (i32.store (local.get $out) (i16x8.extract_lane_u 0 (local.get $best)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $tables (local.get $end))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $next (local.get $count))))

  ;; Brings a passage into that order: $found pieces of 64 hexadecimal digits from $digits on, the two of a byte with the last four signs first. A
  ;; place that is left over of the $groups times sixteen has the first piece once more: the largest stays what it is. $found is above zero.
  (func (export "spread")
    (param $digits i32) (param $found i32) (param $groups i32) (param $pieces i32)
    (local $place i32) (local $from i32) (local $to i32) (local $four v128)
    (loop $piece
      (local.set $from
        (i32.add
          (local.get $digits)
          (i32.shl
            (select (local.get $place) (i32.const 0) (i32.lt_u (local.get $place) (local.get $found)))
            (i32.const 6))))
      (local.set $to
        (i32.add
          (local.get $pieces)
          (i32.add
            (i32.shl (i32.shr_u (local.get $place) (i32.const 4)) (i32.const 10))
            (i32.and (local.get $place) (i32.const 15)))))
      ;; Four bits of a letter's code say which of its kind it is, the upper two that it is a letter.
      (local.set $four (v128.load (local.get $from)))
      (local.set $four
        (i8x16.add
          (v128.and (local.get $four) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (i8x16.swizzle (v128.const i32x4 0x00000900 0 0 0) (i8x16.shr_u (local.get $four) (i32.const 6)))))
      (v128.store8_lane offset=16 0 (local.get $to) (local.get $four))
      (v128.store8_lane 1 (local.get $to) (local.get $four))
      (v128.store8_lane offset=48 2 (local.get $to) (local.get $four))
      (v128.store8_lane offset=32 3 (local.get $to) (local.get $four))
      (v128.store8_lane offset=80 4 (local.get $to) (local.get $four))
      (v128.store8_lane offset=64 5 (local.get $to) (local.get $four))
      (v128.store8_lane offset=112 6 (local.get $to) (local.get $four))
      (v128.store8_lane offset=96 7 (local.get $to) (local.get $four))
      (v128.store8_lane offset=144 8 (local.get $to) (local.get $four))
      (v128.store8_lane offset=128 9 (local.get $to) (local.get $four))
      (v128.store8_lane offset=176 10 (local.get $to) (local.get $four))
      (v128.store8_lane offset=160 11 (local.get $to) (local.get $four))
      (v128.store8_lane offset=208 12 (local.get $to) (local.get $four))
      (v128.store8_lane offset=192 13 (local.get $to) (local.get $four))
      (v128.store8_lane offset=240 14 (local.get $to) (local.get $four))
      (v128.store8_lane offset=224 15 (local.get $to) (local.get $four))
      (local.set $four (v128.load offset=16 (local.get $from)))
      (local.set $four
        (i8x16.add
          (v128.and (local.get $four) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (i8x16.swizzle (v128.const i32x4 0x00000900 0 0 0) (i8x16.shr_u (local.get $four) (i32.const 6)))))
      (v128.store8_lane offset=272 0 (local.get $to) (local.get $four))
      (v128.store8_lane offset=256 1 (local.get $to) (local.get $four))
      (v128.store8_lane offset=304 2 (local.get $to) (local.get $four))
      (v128.store8_lane offset=288 3 (local.get $to) (local.get $four))
      (v128.store8_lane offset=336 4 (local.get $to) (local.get $four))
      (v128.store8_lane offset=320 5 (local.get $to) (local.get $four))
      (v128.store8_lane offset=368 6 (local.get $to) (local.get $four))
      (v128.store8_lane offset=352 7 (local.get $to) (local.get $four))
      (v128.store8_lane offset=400 8 (local.get $to) (local.get $four))
      (v128.store8_lane offset=384 9 (local.get $to) (local.get $four))
      (v128.store8_lane offset=432 10 (local.get $to) (local.get $four))
      (v128.store8_lane offset=416 11 (local.get $to) (local.get $four))
      (v128.store8_lane offset=464 12 (local.get $to) (local.get $four))
      (v128.store8_lane offset=448 13 (local.get $to) (local.get $four))
      (v128.store8_lane offset=496 14 (local.get $to) (local.get $four))
      (v128.store8_lane offset=480 15 (local.get $to) (local.get $four))
      (local.set $four (v128.load offset=32 (local.get $from)))
      (local.set $four
        (i8x16.add
          (v128.and (local.get $four) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (i8x16.swizzle (v128.const i32x4 0x00000900 0 0 0) (i8x16.shr_u (local.get $four) (i32.const 6)))))
      (v128.store8_lane offset=528 0 (local.get $to) (local.get $four))
      (v128.store8_lane offset=512 1 (local.get $to) (local.get $four))
      (v128.store8_lane offset=560 2 (local.get $to) (local.get $four))
      (v128.store8_lane offset=544 3 (local.get $to) (local.get $four))
      (v128.store8_lane offset=592 4 (local.get $to) (local.get $four))
      (v128.store8_lane offset=576 5 (local.get $to) (local.get $four))
      (v128.store8_lane offset=624 6 (local.get $to) (local.get $four))
      (v128.store8_lane offset=608 7 (local.get $to) (local.get $four))
      (v128.store8_lane offset=656 8 (local.get $to) (local.get $four))
      (v128.store8_lane offset=640 9 (local.get $to) (local.get $four))
      (v128.store8_lane offset=688 10 (local.get $to) (local.get $four))
      (v128.store8_lane offset=672 11 (local.get $to) (local.get $four))
      (v128.store8_lane offset=720 12 (local.get $to) (local.get $four))
      (v128.store8_lane offset=704 13 (local.get $to) (local.get $four))
      (v128.store8_lane offset=752 14 (local.get $to) (local.get $four))
      (v128.store8_lane offset=736 15 (local.get $to) (local.get $four))
      (local.set $four (v128.load offset=48 (local.get $from)))
      (local.set $four
        (i8x16.add
          (v128.and (local.get $four) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (i8x16.swizzle (v128.const i32x4 0x00000900 0 0 0) (i8x16.shr_u (local.get $four) (i32.const 6)))))
      (v128.store8_lane offset=784 0 (local.get $to) (local.get $four))
      (v128.store8_lane offset=768 1 (local.get $to) (local.get $four))
      (v128.store8_lane offset=816 2 (local.get $to) (local.get $four))
      (v128.store8_lane offset=800 3 (local.get $to) (local.get $four))
      (v128.store8_lane offset=848 4 (local.get $to) (local.get $four))
      (v128.store8_lane offset=832 5 (local.get $to) (local.get $four))
      (v128.store8_lane offset=880 6 (local.get $to) (local.get $four))
      (v128.store8_lane offset=864 7 (local.get $to) (local.get $four))
      (v128.store8_lane offset=912 8 (local.get $to) (local.get $four))
      (v128.store8_lane offset=896 9 (local.get $to) (local.get $four))
      (v128.store8_lane offset=944 10 (local.get $to) (local.get $four))
      (v128.store8_lane offset=928 11 (local.get $to) (local.get $four))
      (v128.store8_lane offset=976 12 (local.get $to) (local.get $four))
      (v128.store8_lane offset=960 13 (local.get $to) (local.get $four))
      (v128.store8_lane offset=1008 14 (local.get $to) (local.get $four))
      (v128.store8_lane offset=992 15 (local.get $to) (local.get $four))
      (local.set $place (i32.add (local.get $place) (i32.const 1)))
      (br_if $piece (i32.lt_u (local.get $place) (i32.shl (local.get $groups) (i32.const 4)))))))
