;; The arithmetic of a BERT encoder whose weights are whole numbers of eight bits. The build assembles it twice,
;; with relaxed SIMD and without (src/assembly.ts).
;;
;; Numbers are float32 unless said otherwise; rows are padded to a multiple of four and columns to one of eight, so nothing here has an edge.
;; Everything takes addresses in bytes, and keeps nothing between two calls.
;;
;; Two to the power of each, for numbers from -125 up, is written out where it is needed, since a call costs as much: with 1.5 * 2^23 added a number
;; is rounded to a whole one and holds it in its lowest bits, from where it goes to the exponent of the power of what is left, a polynomial
;; (-0.5 to 0.5, to 2 of 10,000,000).
(module
  (import "env" "memory" (memory 1 65536 shared))

  ;; Whether this processor multiplies bytes and adds four products up in one instruction. What stands for it elsewhere adds them up in pairs of 16 bits,
  ;; which hold no more than 32,767: told by a product that is not asked for otherwise, since all states are below 128.
  (global $isWhole (export "isWhole") (mut i32) (i32.const 0))
  ;; Whether the module was assembled without relaxed SIMD, which knows no product of bytes at all: pairs wrap around then.
  (global $isPlain (mut i32) (i32.const 0))
  (func $look
    (local $product i32)
    (local.set $product
      (i32x4.extract_lane 0
        (i32x4.relaxed_dot_i8x16_i7x16_add_s
          (v128.const i32x4 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f)
          (v128.const i32x4 -1 -1 -1 -1)
          (v128.const i32x4 0 0 0 0))))
    (global.set $isWhole (i32.ne (local.get $product) (i32.const 65534)))
    (global.set $isPlain (i32.eq (local.get $product) (i32.const -1532))))
  (start $look)

  ;; All four lanes hold their sum, or their largest.
  (func $sum (param $x v128) (result v128)
    (local.set $x (f32x4.add (local.get $x) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
    (f32x4.add (local.get $x) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $x) (local.get $x))))
  (func $top (param $x v128) (result v128)
    (local.set $x (f32x4.relaxed_max (local.get $x) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
    (f32x4.relaxed_max (local.get $x) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $x) (local.get $x))))

  ;; Each row of $x, $width long (a multiple of 16), as whole numbers from 0 to 127: number = (whole - zero) * step. Writes them to $out, four rows
  ;; beside each other (four numbers of the first row, four of the second, ...), and to $steps for each row its step and its zero.
  (func (export "quantise") (param $x i32) (param $rows i32) (param $width i32) (param $out i32) (param $steps i32)
    (local $row i32) (local $at i32) (local $end i32) (local $to i32)
    (local $low v128) (local $high v128) (local $inverse v128) (local $zero v128) (local $number v128)
    (local $step f32)
    (loop $next
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $width) (i32.const 2))))
      (local.set $low (v128.const f32x4 0 0 0 0))
      (local.set $high (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $x))
      (loop $look
        (local.set $number (v128.load (local.get $at)))
        (local.set $low (f32x4.relaxed_min (local.get $low) (local.get $number)))
        (local.set $high (f32x4.relaxed_max (local.get $high) (local.get $number)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $look (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $high (call $top (local.get $high)))
      (local.set $low (f32x4.neg (call $top (f32x4.neg (local.get $low)))))
      ;; A row of zeros gets a step that is not zero.
      (local.set $step
        (f32.max
          (f32.div (f32.sub (f32x4.extract_lane 0 (local.get $high)) (f32x4.extract_lane 0 (local.get $low))) (f32.const 127))
          (f32.const 1e-30)))
      (local.set $inverse (f32x4.splat (f32.div (f32.const 1) (local.get $step))))
      (local.set $zero (f32x4.nearest (f32x4.neg (f32x4.mul (local.get $low) (local.get $inverse)))))
      (f32.store (local.get $steps) (local.get $step))
      (f32.store offset=4 (local.get $steps) (f32x4.extract_lane 0 (local.get $zero)))
      ;; None is below zero: cut off after a half was added is rounded.
      (local.set $zero (f32x4.add (local.get $zero) (v128.const f32x4 0.5 0.5 0.5 0.5)))
      (local.set $to
        (i32.add
          (i32.add (local.get $out) (i32.mul (i32.and (local.get $row) (i32.const -4)) (local.get $width)))
          (i32.shl (i32.and (local.get $row) (i32.const 3)) (i32.const 2))))
      (local.set $at (local.get $x))
      (loop $write
        (local.set $number
          (i8x16.min_u
            (i8x16.narrow_i16x8_u
              (i16x8.narrow_i32x4_s
                (i32x4.relaxed_trunc_f32x4_s
                  (f32x4.relaxed_madd (v128.load (local.get $at)) (local.get $inverse) (local.get $zero)))
                (i32x4.relaxed_trunc_f32x4_s
                  (f32x4.relaxed_madd (v128.load offset=16 (local.get $at)) (local.get $inverse) (local.get $zero))))
              (i16x8.narrow_i32x4_s
                (i32x4.relaxed_trunc_f32x4_s
                  (f32x4.relaxed_madd (v128.load offset=32 (local.get $at)) (local.get $inverse) (local.get $zero)))
                (i32x4.relaxed_trunc_f32x4_s
                  (f32x4.relaxed_madd (v128.load offset=48 (local.get $at)) (local.get $inverse) (local.get $zero)))))
            (v128.const i8x16 127 127 127 127 127 127 127 127 127 127 127 127 127 127 127 127)))
        (v128.store32_lane 0 (local.get $to) (local.get $number))
        (v128.store32_lane offset=16 1 (local.get $to) (local.get $number))
        (v128.store32_lane offset=32 2 (local.get $to) (local.get $number))
        (v128.store32_lane offset=48 3 (local.get $to) (local.get $number))
        (local.set $to (i32.add (local.get $to) (i32.const 64)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $write (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $x (local.get $end))
      (local.set $steps (i32.add (local.get $steps) (i32.const 8)))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $rows)))))

  ;; Turns a matrix of $rows by $columns bytes around 128, a row of outputs for each input, into the order in which "quantisedMatmul" reads it: eight outputs
  ;; beside each other, four inputs of the first, four of the second, ..., around zero. Writes to $totals each output's sum times its step in $scales.
  (func (export "pack") (param $x i32) (param $rows i32) (param $columns i32) (param $scales i32) (param $out i32) (param $totals i32)
    (local $column i32) (local $row i32) (local $at i32) (local $to i32) (local $value i32) (local $total i32)
    (loop $next
      (local.set $total (i32.const 0))
      (local.set $row (i32.const 0))
      (local.set $at (i32.add (local.get $x) (local.get $column)))
      (local.set $to
        (i32.add
          (i32.add (local.get $out) (i32.mul (i32.and (local.get $column) (i32.const -8)) (local.get $rows)))
          (i32.shl (i32.and (local.get $column) (i32.const 7)) (i32.const 2))))
      (loop $down
        (local.set $value (i32.sub (i32.load8_u (local.get $at)) (i32.const 128)))
        (local.set $total (i32.add (local.get $total) (local.get $value)))
        (i32.store8
          (i32.add
            (i32.add (local.get $to) (i32.shl (i32.and (local.get $row) (i32.const -4)) (i32.const 3)))
            (i32.and (local.get $row) (i32.const 3)))
          (local.get $value))
        (local.set $at (i32.add (local.get $at) (local.get $columns)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $down (i32.lt_u (local.get $row) (local.get $rows))))
      (f32.store
        (i32.add (local.get $totals) (i32.shl (local.get $column) (i32.const 2)))
        (f32.mul
          (f32.convert_i32_s (local.get $total))
          (f32.load (i32.add (local.get $scales) (i32.shl (local.get $column) (i32.const 2))))))
      (local.set $column (i32.add (local.get $column) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $column) (local.get $columns)))))

  ;; One output row's eight columns from what was summed in whole numbers: step * (sum * scale - zero * total) + bias.
  (func $write (param $left v128) (param $right v128) (param $steps i32) (param $scales i32) (param $totals i32) (param $biases i32) (param $to i32)
    (local $step v128) (local $zero v128)
    (local.set $step (v128.load32_splat (local.get $steps)))
    (local.set $zero (v128.load32_splat offset=4 (local.get $steps)))
    (v128.store (local.get $to)
      (f32x4.add
        (f32x4.mul
          (local.get $step)
          (f32x4.sub
            (f32x4.mul (f32x4.convert_i32x4_s (local.get $left)) (v128.load (local.get $scales)))
            (f32x4.mul (local.get $zero) (v128.load (local.get $totals)))))
        (v128.load (local.get $biases))))
    (v128.store offset=16 (local.get $to)
      (f32x4.add
        (f32x4.mul
          (local.get $step)
          (f32x4.sub
            (f32x4.mul (f32x4.convert_i32x4_s (local.get $right)) (v128.load offset=16 (local.get $scales)))
            (f32x4.mul (local.get $zero) (v128.load offset=16 (local.get $totals)))))
        (v128.load offset=16 (local.get $biases)))))

  ;; What "quantise" wrote to $x, times what "pack" wrote to $weights: $rows by $columns numbers to $out. $width is the number of inputs.
  ;; Where one instruction multiplies and adds up whole, it takes little more than half as long (2026-11-25, EPYC with AVX-VNNI); elsewhere pairs are
  ;; added up by hand, since what stands for it takes a fifth longer (2026-11-23, EPYC without). Without relaxed SIMD even and odd bytes are widened
  ;; once for all products they take part in: WebKit would do so for each. All three give the same.
  (func (export "quantisedMatmul")
    (param $x i32) (param $steps i32) (param $rows i32) (param $width i32)
    (param $weights i32) (param $scales i32) (param $totals i32) (param $biases i32) (param $columns i32) (param $out i32)
    (local $a i32) (local $w i32) (local $end i32) (local $row i32) (local $step i32) (local $column i32) (local $to i32) (local $stride i32)
    (local $ones v128) (local $low v128) (local $x4 v128) (local $even v128) (local $left v128) (local $leftOdd v128) (local $right v128) (local $rightOdd v128)
    (local $a0 v128) (local $a1 v128) (local $b0 v128) (local $b1 v128) (local $c0 v128) (local $c1 v128) (local $d0 v128) (local $d1 v128)
    (local.set $ones (v128.const i16x8 1 1 1 1 1 1 1 1))
    (local.set $low (v128.const i16x8 255 255 255 255 255 255 255 255))
    (local.set $stride (i32.shl (local.get $columns) (i32.const 2)))
    (loop $panel
      (local.set $end (i32.add (local.get $weights) (i32.shl (local.get $width) (i32.const 3))))
      (local.set $a (local.get $x))
      (local.set $step (local.get $steps))
      (local.set $row (i32.const 0))
      (local.set $to (i32.add (local.get $out) (i32.shl (local.get $column) (i32.const 2))))
      (loop $four
        (local.set $w (local.get $weights))
        (local.set $a0 (v128.const i32x4 0 0 0 0))
        (local.set $a1 (v128.const i32x4 0 0 0 0))
        (local.set $b0 (v128.const i32x4 0 0 0 0))
        (local.set $b1 (v128.const i32x4 0 0 0 0))
        (local.set $c0 (v128.const i32x4 0 0 0 0))
        (local.set $c1 (v128.const i32x4 0 0 0 0))
        (local.set $d0 (v128.const i32x4 0 0 0 0))
        (local.set $d1 (v128.const i32x4 0 0 0 0))
        (if (global.get $isPlain)
          (then
            (loop $inner
              (local.set $left (v128.load (local.get $w)))
              (local.set $leftOdd (i16x8.shr_s (local.get $left) (i32.const 8)))
              (local.set $left (i16x8.shr_s (i16x8.shl (local.get $left) (i32.const 8)) (i32.const 8)))
              (local.set $right (v128.load offset=16 (local.get $w)))
              (local.set $rightOdd (i16x8.shr_s (local.get $right) (i32.const 8)))
              (local.set $right (i16x8.shr_s (i16x8.shl (local.get $right) (i32.const 8)) (i32.const 8)))
              (local.set $x4 (v128.load32_splat (local.get $a)))
              (local.set $even (v128.and (local.get $x4) (local.get $low)))
              (local.set $x4 (i16x8.shr_u (local.get $x4) (i32.const 8)))
              (local.set $a0 (i32x4.add (local.get $a0) (i32x4.add (i32x4.dot_i16x8_s (local.get $left) (local.get $even)) (i32x4.dot_i16x8_s (local.get $leftOdd) (local.get $x4)))))
              (local.set $a1 (i32x4.add (local.get $a1) (i32x4.add (i32x4.dot_i16x8_s (local.get $right) (local.get $even)) (i32x4.dot_i16x8_s (local.get $rightOdd) (local.get $x4)))))
              (local.set $x4 (v128.load32_splat offset=4 (local.get $a)))
              (local.set $even (v128.and (local.get $x4) (local.get $low)))
              (local.set $x4 (i16x8.shr_u (local.get $x4) (i32.const 8)))
              (local.set $b0 (i32x4.add (local.get $b0) (i32x4.add (i32x4.dot_i16x8_s (local.get $left) (local.get $even)) (i32x4.dot_i16x8_s (local.get $leftOdd) (local.get $x4)))))
              (local.set $b1 (i32x4.add (local.get $b1) (i32x4.add (i32x4.dot_i16x8_s (local.get $right) (local.get $even)) (i32x4.dot_i16x8_s (local.get $rightOdd) (local.get $x4)))))
              (local.set $x4 (v128.load32_splat offset=8 (local.get $a)))
              (local.set $even (v128.and (local.get $x4) (local.get $low)))
              (local.set $x4 (i16x8.shr_u (local.get $x4) (i32.const 8)))
              (local.set $c0 (i32x4.add (local.get $c0) (i32x4.add (i32x4.dot_i16x8_s (local.get $left) (local.get $even)) (i32x4.dot_i16x8_s (local.get $leftOdd) (local.get $x4)))))
              (local.set $c1 (i32x4.add (local.get $c1) (i32x4.add (i32x4.dot_i16x8_s (local.get $right) (local.get $even)) (i32x4.dot_i16x8_s (local.get $rightOdd) (local.get $x4)))))
              (local.set $x4 (v128.load32_splat offset=12 (local.get $a)))
              (local.set $even (v128.and (local.get $x4) (local.get $low)))
              (local.set $x4 (i16x8.shr_u (local.get $x4) (i32.const 8)))
              (local.set $d0 (i32x4.add (local.get $d0) (i32x4.add (i32x4.dot_i16x8_s (local.get $left) (local.get $even)) (i32x4.dot_i16x8_s (local.get $leftOdd) (local.get $x4)))))
              (local.set $d1 (i32x4.add (local.get $d1) (i32x4.add (i32x4.dot_i16x8_s (local.get $right) (local.get $even)) (i32x4.dot_i16x8_s (local.get $rightOdd) (local.get $x4)))))
              (local.set $a (i32.add (local.get $a) (i32.const 16)))
              (local.set $w (i32.add (local.get $w) (i32.const 32)))
              (br_if $inner (i32.lt_u (local.get $w) (local.get $end)))))
          (else
          (if (global.get $isWhole)
            (then
              (loop $inner
                (local.set $left (v128.load (local.get $w)))
                (local.set $right (v128.load offset=16 (local.get $w)))
                (local.set $x4 (v128.load32_splat (local.get $a)))
                (local.set $a0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $left) (local.get $x4) (local.get $a0)))
                (local.set $a1 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $right) (local.get $x4) (local.get $a1)))
                (local.set $x4 (v128.load32_splat offset=4 (local.get $a)))
                (local.set $b0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $left) (local.get $x4) (local.get $b0)))
                (local.set $b1 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $right) (local.get $x4) (local.get $b1)))
                (local.set $x4 (v128.load32_splat offset=8 (local.get $a)))
                (local.set $c0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $left) (local.get $x4) (local.get $c0)))
                (local.set $c1 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $right) (local.get $x4) (local.get $c1)))
                (local.set $x4 (v128.load32_splat offset=12 (local.get $a)))
                (local.set $d0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $left) (local.get $x4) (local.get $d0)))
                (local.set $d1 (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $right) (local.get $x4) (local.get $d1)))
                (local.set $a (i32.add (local.get $a) (i32.const 16)))
                (local.set $w (i32.add (local.get $w) (i32.const 32)))
                (br_if $inner (i32.lt_u (local.get $w) (local.get $end)))))
            (else
              (loop $inner
                (local.set $left (v128.load (local.get $w)))
                (local.set $right (v128.load offset=16 (local.get $w)))
                (local.set $x4 (v128.load32_splat (local.get $a)))
                (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $left) (local.get $x4)) (local.get $ones))))
                (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $right) (local.get $x4)) (local.get $ones))))
                (local.set $x4 (v128.load32_splat offset=4 (local.get $a)))
                (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $left) (local.get $x4)) (local.get $ones))))
                (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $right) (local.get $x4)) (local.get $ones))))
                (local.set $x4 (v128.load32_splat offset=8 (local.get $a)))
                (local.set $c0 (i32x4.add (local.get $c0) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $left) (local.get $x4)) (local.get $ones))))
                (local.set $c1 (i32x4.add (local.get $c1) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $right) (local.get $x4)) (local.get $ones))))
                (local.set $x4 (v128.load32_splat offset=12 (local.get $a)))
                (local.set $d0 (i32x4.add (local.get $d0) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $left) (local.get $x4)) (local.get $ones))))
                (local.set $d1 (i32x4.add (local.get $d1) (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $right) (local.get $x4)) (local.get $ones))))
                (local.set $a (i32.add (local.get $a) (i32.const 16)))
                (local.set $w (i32.add (local.get $w) (i32.const 32)))
                (br_if $inner (i32.lt_u (local.get $w) (local.get $end))))))))
        (call $write (local.get $a0) (local.get $a1) (local.get $step) (local.get $scales) (local.get $totals) (local.get $biases) (local.get $to))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (call $write (local.get $b0) (local.get $b1) (i32.add (local.get $step) (i32.const 8)) (local.get $scales) (local.get $totals) (local.get $biases) (local.get $to))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (call $write (local.get $c0) (local.get $c1) (i32.add (local.get $step) (i32.const 16)) (local.get $scales) (local.get $totals) (local.get $biases) (local.get $to))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (call $write (local.get $d0) (local.get $d1) (i32.add (local.get $step) (i32.const 24)) (local.get $scales) (local.get $totals) (local.get $biases) (local.get $to))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $step (i32.add (local.get $step) (i32.const 32)))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br_if $four (i32.lt_u (local.get $row) (local.get $rows))))
      (local.set $weights (local.get $end))
      (local.set $scales (i32.add (local.get $scales) (i32.const 32)))
      (local.set $totals (i32.add (local.get $totals) (i32.const 32)))
      (local.set $biases (i32.add (local.get $biases) (i32.const 32)))
      (local.set $column (i32.add (local.get $column) (i32.const 8)))
      (br_if $panel (i32.lt_u (local.get $column) (local.get $columns)))))

  ;; $a ($rows by $width) times $b ($width by $columns), to $out. Rows of the three are so many bytes apart as the strides say.
  (func (export "matmul")
    (param $a i32) (param $aStride i32) (param $b i32) (param $bStride i32) (param $width i32)
    (param $rows i32) (param $columns i32) (param $out i32) (param $outStride i32)
    (local $row i32) (local $column i32) (local $left i32) (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $q i32) (local $to i32)
    (local $number v128) (local $b0 v128) (local $b1 v128)
    (local $r0 v128) (local $r1 v128) (local $s0 v128) (local $s1 v128) (local $t0 v128) (local $t1 v128) (local $u0 v128) (local $u1 v128)
    (loop $four
      (local.set $column (i32.const 0))
      (loop $eight
        (local.set $p0 (local.get $a))
        (local.set $p1 (i32.add (local.get $p0) (local.get $aStride)))
        (local.set $p2 (i32.add (local.get $p1) (local.get $aStride)))
        (local.set $p3 (i32.add (local.get $p2) (local.get $aStride)))
        (local.set $q (i32.add (local.get $b) (i32.shl (local.get $column) (i32.const 2))))
        (local.set $left (local.get $width))
        (local.set $r0 (v128.const i32x4 0 0 0 0))
        (local.set $r1 (v128.const i32x4 0 0 0 0))
        (local.set $s0 (v128.const i32x4 0 0 0 0))
        (local.set $s1 (v128.const i32x4 0 0 0 0))
        (local.set $t0 (v128.const i32x4 0 0 0 0))
        (local.set $t1 (v128.const i32x4 0 0 0 0))
        (local.set $u0 (v128.const i32x4 0 0 0 0))
        (local.set $u1 (v128.const i32x4 0 0 0 0))
        (loop $inner
          (local.set $b0 (v128.load (local.get $q)))
          (local.set $b1 (v128.load offset=16 (local.get $q)))
          (local.set $number (v128.load32_splat (local.get $p0)))
          (local.set $r0 (f32x4.relaxed_madd (local.get $number) (local.get $b0) (local.get $r0)))
          (local.set $r1 (f32x4.relaxed_madd (local.get $number) (local.get $b1) (local.get $r1)))
          (local.set $number (v128.load32_splat (local.get $p1)))
          (local.set $s0 (f32x4.relaxed_madd (local.get $number) (local.get $b0) (local.get $s0)))
          (local.set $s1 (f32x4.relaxed_madd (local.get $number) (local.get $b1) (local.get $s1)))
          (local.set $number (v128.load32_splat (local.get $p2)))
          (local.set $t0 (f32x4.relaxed_madd (local.get $number) (local.get $b0) (local.get $t0)))
          (local.set $t1 (f32x4.relaxed_madd (local.get $number) (local.get $b1) (local.get $t1)))
          (local.set $number (v128.load32_splat (local.get $p3)))
          (local.set $u0 (f32x4.relaxed_madd (local.get $number) (local.get $b0) (local.get $u0)))
          (local.set $u1 (f32x4.relaxed_madd (local.get $number) (local.get $b1) (local.get $u1)))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 4)))
          (local.set $p1 (i32.add (local.get $p1) (i32.const 4)))
          (local.set $p2 (i32.add (local.get $p2) (i32.const 4)))
          (local.set $p3 (i32.add (local.get $p3) (i32.const 4)))
          (local.set $q (i32.add (local.get $q) (local.get $bStride)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br_if $inner (local.get $left)))
        (local.set $to (i32.add (local.get $out) (i32.shl (local.get $column) (i32.const 2))))
        (v128.store (local.get $to) (local.get $r0))
        (v128.store offset=16 (local.get $to) (local.get $r1))
        (local.set $to (i32.add (local.get $to) (local.get $outStride)))
        (v128.store (local.get $to) (local.get $s0))
        (v128.store offset=16 (local.get $to) (local.get $s1))
        (local.set $to (i32.add (local.get $to) (local.get $outStride)))
        (v128.store (local.get $to) (local.get $t0))
        (v128.store offset=16 (local.get $to) (local.get $t1))
        (local.set $to (i32.add (local.get $to) (local.get $outStride)))
        (v128.store (local.get $to) (local.get $u0))
        (v128.store offset=16 (local.get $to) (local.get $u1))
        (local.set $column (i32.add (local.get $column) (i32.const 8)))
        (br_if $eight (i32.lt_u (local.get $column) (local.get $columns))))
      (local.set $a (i32.add (local.get $a) (i32.shl (local.get $aStride) (i32.const 2))))
      (local.set $out (i32.add (local.get $out) (i32.shl (local.get $outStride) (i32.const 2))))
      (local.set $row (i32.add (local.get $row) (i32.const 4)))
      (br_if $four (i32.lt_u (local.get $row) (local.get $rows)))))

  ;; $rows of $x, $width long and $stride bytes apart, as the columns of $out; zeros in the others of its $columns.
  (func (export "transpose")
    (param $x i32) (param $stride i32) (param $rows i32) (param $width i32) (param $out i32) (param $columns i32)
    (local $at i32) (local $row i32) (local $number i32) (local $to i32)
    (loop $next
      (local.set $row (i32.const 0))
      (local.set $at (i32.add (local.get $x) (i32.shl (local.get $number) (i32.const 2))))
      (loop $across
        (f32.store (local.get $out)
          (if (result f32) (i32.lt_u (local.get $row) (local.get $rows))
            (then (f32.load (local.get $at)))
            (else (f32.const 0))))
        (local.set $at (i32.add (local.get $at) (local.get $stride)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $across (i32.lt_u (local.get $row) (local.get $columns))))
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $number) (local.get $width)))))

  ;; Softmax of $factor times the first $count of each row's $columns numbers; the others become as good as zero.
  (func (export "softmax") (param $x i32) (param $rows i32) (param $count i32) (param $columns i32) (param $factor f32)
    (local $at i32) (local $end i32) (local $last i32)
    (local $high v128) (local $total v128) (local $number v128) (local $times v128) (local $power v128) (local $whole v128)
    (local.set $times (f32x4.splat (f32.mul (local.get $factor) (f32.const 1.44269504))))
    (loop $next
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $columns) (i32.const 2))))
      (local.set $at (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
      (block $full
        (br_if $full (i32.ge_u (local.get $at) (local.get $end)))
        (loop $rest
          (f32.store (local.get $at) (f32.const -1e30))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $rest (i32.lt_u (local.get $at) (local.get $end)))))
      (local.set $high (v128.const f32x4 -1e30 -1e30 -1e30 -1e30))
      (local.set $at (local.get $x))
      (loop $look
        (local.set $high (f32x4.relaxed_max (local.get $high) (v128.load (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $look (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $high (call $top (local.get $high)))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $x))
      (loop $raise
        (local.set $power
          (f32x4.relaxed_max
            (f32x4.mul (f32x4.sub (v128.load (local.get $at)) (local.get $high)) (local.get $times))
            (v128.const f32x4 -125 -125 -125 -125)))
        (local.set $whole (f32x4.add (local.get $power) (v128.const f32x4 12582912 12582912 12582912 12582912)))
        (local.set $power (f32x4.sub (local.get $power) (f32x4.sub (local.get $whole) (v128.const f32x4 12582912 12582912 12582912 12582912))))
        (local.set $number
          (i32x4.add
            (i32x4.shl (local.get $whole) (i32.const 23))
            (f32x4.relaxed_madd
              (f32x4.relaxed_madd
                (f32x4.relaxed_madd
                  (f32x4.relaxed_madd
                    (f32x4.relaxed_madd
                      (local.get $power)
                      (v128.const f32x4 0.001327647187 0.001327647187 0.001327647187 0.001327647187)
                      (v128.const f32x4 0.009675541334 0.009675541334 0.009675541334 0.009675541334))
                    (local.get $power)
                    (v128.const f32x4 0.05550713274 0.05550713274 0.05550713274 0.05550713274))
                  (local.get $power)
                  (v128.const f32x4 0.2402211972 0.2402211972 0.2402211972 0.2402211972))
                (local.get $power)
                (v128.const f32x4 0.6931469671 0.6931469671 0.6931469671 0.6931469671))
              (local.get $power)
              (v128.const f32x4 1.000000072 1.000000072 1.000000072 1.000000072))))
        (local.set $total (f32x4.add (local.get $total) (local.get $number)))
        (v128.store (local.get $at) (local.get $number))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $raise (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $total (f32x4.div (v128.const f32x4 1 1 1 1) (call $sum (local.get $total))))
      (local.set $at (local.get $x))
      (loop $divide
        (v128.store (local.get $at) (f32x4.mul (v128.load (local.get $at)) (local.get $total)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $divide (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $x (local.get $end))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $next (local.get $rows))))

  ;; x * (1 + erf(x / sqrt 2)) / 2 of $count numbers in place: what is above zero of x, less half of |x| for as much as erf lacks to 1. erf by Abramowitz and Stegun 7.1.26, to 1.5 of 10,000,000.
  (func (export "gelu") (param $x i32) (param $count i32)
    (local $end i32)
    (local $number v128) (local $z v128) (local $t v128) (local $power v128) (local $whole v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $number (v128.load (local.get $x)))
      (local.set $z
        (f32x4.mul (f32x4.abs (local.get $number)) (v128.const f32x4 0.70710678 0.70710678 0.70710678 0.70710678)))
      (local.set $t
        (f32x4.div
          (v128.const f32x4 1 1 1 1)
          (f32x4.relaxed_madd (local.get $z) (v128.const f32x4 0.3275911 0.3275911 0.3275911 0.3275911) (v128.const f32x4 1 1 1 1))))
      (local.set $power
        (f32x4.relaxed_max
          (f32x4.mul (f32x4.mul (local.get $z) (local.get $z)) (v128.const f32x4 -1.44269504 -1.44269504 -1.44269504 -1.44269504))
          (v128.const f32x4 -125 -125 -125 -125)))
      (local.set $whole (f32x4.add (local.get $power) (v128.const f32x4 12582912 12582912 12582912 12582912)))
      (local.set $power (f32x4.sub (local.get $power) (f32x4.sub (local.get $whole) (v128.const f32x4 12582912 12582912 12582912 12582912))))
      (local.set $power
        (i32x4.add
          (i32x4.shl (local.get $whole) (i32.const 23))
          (f32x4.relaxed_madd
            (f32x4.relaxed_madd
              (f32x4.relaxed_madd
                (f32x4.relaxed_madd
                  (f32x4.relaxed_madd
                    (local.get $power)
                    (v128.const f32x4 0.001327647187 0.001327647187 0.001327647187 0.001327647187)
                    (v128.const f32x4 0.009675541334 0.009675541334 0.009675541334 0.009675541334))
                  (local.get $power)
                  (v128.const f32x4 0.05550713274 0.05550713274 0.05550713274 0.05550713274))
                (local.get $power)
                (v128.const f32x4 0.2402211972 0.2402211972 0.2402211972 0.2402211972))
              (local.get $power)
              (v128.const f32x4 0.6931469671 0.6931469671 0.6931469671 0.6931469671))
            (local.get $power)
            (v128.const f32x4 1.000000072 1.000000072 1.000000072 1.000000072))))
      ;; What is missing to 1.
      (local.set $t
        (f32x4.mul
          (f32x4.mul
            (f32x4.relaxed_madd
              (f32x4.relaxed_madd
                (f32x4.relaxed_madd
                  (f32x4.relaxed_madd
                    (local.get $t)
                    (v128.const f32x4 1.061405429 1.061405429 1.061405429 1.061405429)
                    (v128.const f32x4 -1.453152027 -1.453152027 -1.453152027 -1.453152027))
                  (local.get $t)
                  (v128.const f32x4 1.421413741 1.421413741 1.421413741 1.421413741))
                (local.get $t)
                (v128.const f32x4 -0.284496736 -0.284496736 -0.284496736 -0.284496736))
              (local.get $t)
              (v128.const f32x4 0.254829592 0.254829592 0.254829592 0.254829592))
            (local.get $t))
          (local.get $power)))
      (v128.store (local.get $x)
        (f32x4.relaxed_nmadd
          (f32x4.mul (local.get $z) (v128.const f32x4 0.70710678 0.70710678 0.70710678 0.70710678))
          (local.get $t)
          (f32x4.relaxed_max (local.get $number) (v128.const f32x4 0 0 0 0))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $x) (local.get $end)))))

  ;; Layer normalisation in place of $x plus $more, each $rows by $width numbers.
  (func (export "normalise") (param $x i32) (param $more i32) (param $rows i32) (param $width i32) (param $weights i32) (param $biases i32) (param $epsilon f32)
    (local $at i32) (local $end i32) (local $offset i32)
    (local $number v128) (local $mean v128) (local $total v128) (local $share v128)
    (local.set $share (f32x4.splat (f32.div (f32.const 1) (f32.convert_i32_u (local.get $width)))))
    (loop $next
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $width) (i32.const 2))))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $x))
      (loop $add
        (local.set $number (f32x4.add (v128.load (local.get $at)) (v128.load (local.get $more))))
        (v128.store (local.get $at) (local.get $number))
        (local.set $total (f32x4.add (local.get $total) (local.get $number)))
        (local.set $more (i32.add (local.get $more) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $add (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $mean (f32x4.mul (call $sum (local.get $total)) (local.get $share)))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $x))
      (loop $spread
        (local.set $number (f32x4.sub (v128.load (local.get $at)) (local.get $mean)))
        (local.set $total (f32x4.relaxed_madd (local.get $number) (local.get $number) (local.get $total)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $spread (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $total
        (f32x4.div
          (v128.const f32x4 1 1 1 1)
          (f32x4.sqrt (f32x4.add (f32x4.mul (call $sum (local.get $total)) (local.get $share)) (f32x4.splat (local.get $epsilon))))))
      (local.set $at (local.get $x))
      (local.set $offset (i32.const 0))
      (loop $scale
        (v128.store (local.get $at)
          (f32x4.relaxed_madd
            (f32x4.mul (f32x4.sub (v128.load (local.get $at)) (local.get $mean)) (local.get $total))
            (v128.load (i32.add (local.get $weights) (local.get $offset)))
            (v128.load (i32.add (local.get $biases) (local.get $offset)))))
        (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $scale (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $x (local.get $end))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $next (local.get $rows)))))
