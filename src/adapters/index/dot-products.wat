;; The products of one query with many rows of small numbers, eight at a time. JavaScript has no way to say that, and takes eight times as long.
;; The build assembles it (src/assembly.ts).
(module
  (memory (export "memory") 1)

  ;; Rows of $width signed bytes, one behind the other from $row on, $count of them; the query's $width signed 16-bit numbers at $query.
  ;; $width is a multiple of eight, above zero. Writes $count 32-bit sums to $out.
  (func (export "products")
    (param $row i32) (param $count i32) (param $width i32) (param $query i32) (param $out i32)
    (local $number i32) (local $end i32) (local $sum v128)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $number (local.get $query))
        (local.set $end (i32.add (local.get $row) (local.get $width)))
        (loop $eight
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $number)))))
          (local.set $number (i32.add (local.get $number) (i32.const 16)))
          (local.set $row (i32.add (local.get $row) (i32.const 8)))
          (br_if $eight (i32.lt_u (local.get $row) (local.get $end))))
        (i32.store
          (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))))
