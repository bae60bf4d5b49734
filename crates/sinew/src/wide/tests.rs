//! Every backend against the scalar twin, bit for bit.

use proptest::prelude::*;

use super::*;

/// All operations on two vectors, results as bits.
#[inline(always)]
fn everything<S: Simd>(s: S, a: &[f32; 8], b: &[f32; 8], bits: u8) -> Vec<u32> {
    let (x, y) = (s.load(a), s.load(b));
    let mask = s.mask(bits);
    let (mut out, mut buffer) = (Vec::new(), [0.0; 8]);
    for v in [
        x + y,
        x - y,
        x * y,
        x / y,
        x.sqrt(),
        x.max(y),
        x.min(y),
        x.flip_sign(y),
        x.select(mask, y),
        x.select(x.gt(y), y),
        s.splat(a[3]),
    ] {
        v.store(&mut buffer);
        // Which NaN comes out is not part of the promise.
        out.extend(buffer.map(|v| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }));
    }
    out.extend([u32::from(s.bits(mask)), u32::from(s.bits(x.gt(y)))]);
    let rows = [x, y, x + y, x - y, y, x, y - x, x];
    for row in s.transpose_8x8(rows) {
        row.store(&mut buffer);
        out.extend(buffer.map(|v| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }));
    }
    let quads = s.transpose_4x8(y, x + y, x, x * y);
    for row in s.transpose_8x4(quads) {
        row.store(&mut buffer);
        out.extend(buffer.map(|v| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }));
    }
    let mut quad = [0.0; 4];
    for q in s.transpose_4x8(x, y, x * y, x) {
        for v in [q, q.spread::<0>(), q.spread::<1>(), q.spread::<2>(), q.spread::<3>(), q.only_last()] {
            v.store(&mut quad);
            out.extend(quad.map(|v| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }));
        }
    }
    let low: &Quad = a[..4].try_into().unwrap();
    let high: &Quad = b[4..].try_into().unwrap();
    let both = s.load44(low, high);
    let joined = S::QQ::join(s.load4(high), s.splat4(a[5]));
    let mut second = [0.0; 4];
    for v in [both, joined, both.spread::<0>(), both.spread::<3>(), both.only_last(), both * joined + both] {
        v.store(&mut quad, &mut second);
        out.extend(
            [quad, second].concat().iter().map(|v| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }),
        );
    }
    out
}

#[inline(always)]
fn integers<S: Simd>(s: S, bytes: &[u8; WINDOW], width: u32, mask: u8, shift: u32) -> Vec<u32> {
    let (mut ints, mut floats, mut out) = ([0; 8], [0.0; 8], Vec::new());
    let first: &[u8; 16] = bytes[..16].try_into().unwrap();
    let (some, all) = (s.plan(width, mask, shift % 8), s.plan(width, 0xff, 0));
    for v in [s.load_i16(first).shl(shift), s.unpack(bytes, &some), s.unpack(bytes, &all)] {
        v.store(&mut ints);
        out.extend(ints.map(|v| v as u32));
        v.to_float().store(&mut floats);
        out.extend(floats.map(f32::to_bits));
        (v.to_float() * s.splat(0.37)).round_to_int().store(&mut ints);
        out.extend(ints.map(|v| v as u32));
    }
    let (width, leading) = (width.min(NARROW), ((1_u16 << (mask % 9)) - 1) as u8);
    let start = if leading == 0xff { 0 } else { shift % 8 };
    for plan in [s.plan_narrow(width), s.plan_leading(width, leading, start)] {
        s.unpack_narrow(bytes, &plan).store(&mut ints);
        out.extend(ints.map(|v| v as u32));
    }
    s.load_bf16(first).store(&mut floats);
    out.extend(floats.map(f32::to_bits));
    out
}

/// Three and four rows to places of their own.
#[inline(always)]
fn scattered<S: Simd>(s: S, row: &[f32; 8], slots: &[u8; 16], count: usize, groups: usize) -> Vec<u32> {
    let x = s.load(row);
    let mut into = vec![[[0.0; 8]; 7]; groups];
    s.scatter([x, x + x, s.splat(1.5), x * x], slots, count, 0, &mut into);
    s.scatter([x + x, x, s.splat(2.5)], slots, count, 4, &mut into);
    into.as_flattened().as_flattened().iter().map(|v| v.to_bits()).collect()
}

proptest! {
    #[test]
    fn scattering_reaches_the_same_places_on_every_backend(
        row in proptest::array::uniform8(-10.0_f32..10.0),
        slots in proptest::array::uniform8(0_u16..40),
        far: bool,
        count in 0_usize..=8,
        groups in 0_usize..6,
    ) {
        let mut slots = slots;
        if far {
            slots[3] = u16::MAX;
        }
        let bytes: Vec<u8> = slots.iter().flat_map(|s| s.to_le_bytes()).collect();
        let (row, bytes): (&[f32; 8], &[u8; 16]) = (&row, bytes[..].try_into().unwrap());
        let mut expected = vec![0_f32; groups * 56];
        for (lane, slot) in slots.iter().enumerate().take(count) {
            let (group, at) = (usize::from(slot / 8), usize::from(slot % 8));
            if group < groups {
                let v = row[lane];
                for (k, v) in [v, v + v, 1.5, v * v, v + v, v, 2.5].into_iter().enumerate() {
                    expected[group * 56 + 8 * k + at] = v;
                }
            }
        }
        let expected: Vec<u32> = expected.into_iter().map(f32::to_bits).collect();
        for backend in Backend::ALL {
            let found = dispatch!(
                backend,
                scattered(row: &[f32; 8], bytes: &[u8; 16], count: usize, groups: usize) -> Vec<u32>
            );
            prop_assert_eq!(&found, &expected, "{}", backend);
        }
    }

    #[test]
    fn floats_agree_on_every_backend(a: [f32; 8], b: [f32; 8], bits: u8) {
        let (a, b) = (&a, &b);
        let expected = everything(scalar::Scalar, a, b, bits);
        for backend in Backend::ALL {
            let found = dispatch!(backend, everything(a: &[f32; 8], b: &[f32; 8], bits: u8) -> Vec<u32>);
            prop_assert_eq!(&found, &expected, "{}", backend);
        }
    }

    #[test]
    fn integers_agree_on_every_backend(bytes: [u8; WINDOW], width in 0..=MAX_WIDTH, mask: u8, shift in 0_u32..9) {
        let bytes = &bytes;
        let expected = integers(scalar::Scalar, bytes, width, mask, shift);
        for backend in Backend::ALL {
            let found = dispatch!(
                backend,
                integers(bytes: &[u8; WINDOW], width: u32, mask: u8, shift: u32) -> Vec<u32>
            );
            prop_assert_eq!(&found, &expected, "{}", backend);
        }
    }

    #[test]
    fn packed_integers_are_read_lowest_bit_first(
        bytes: [u8; WINDOW],
        width in 0..=MAX_WIDTH,
        mask: u8,
        start in 0_u32..8,
    ) {
        let mut found = [0; 8];
        scalar::Scalar.unpack(&bytes, &(width, mask, start)).store(&mut found);
        let mut bit = start;
        for (lane, value) in found.into_iter().enumerate() {
            let mut expected = 0;
            if mask >> lane & 1 == 1 {
                for k in 0..width {
                    let at = (bit + k) as usize;
                    expected |= u32::from(bytes[at / 8] >> (at % 8) & 1) << k;
                }
                bit += width;
            }
            prop_assert_eq!(value as u32, expected, "lane {}", lane);
        }
    }
}
