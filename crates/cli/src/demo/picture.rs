//! Numbers of steps as a picture.

use crate::failure::Failure;

/// A PNG file of a picture with so many steps, as bytes of 32-bit numbers, for each point. Points with the most stay dark.
pub(super) fn png(steps: &[u8], width: usize) -> Result<Vec<u8>, Failure> {
    let steps: Vec<i32> =
        steps.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let most = steps.iter().copied().max().unwrap_or(1);
    let pixels: Vec<u8> = steps.iter().flat_map(|&n| colour(n, most)).collect();
    let height = steps.len() / width;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels[..width * height * 3]))
        .map_err(Failure::cannot)?;
    Ok(file)
}

/// From deep blue over white to gold and back, slower the more steps there are.
fn colour(n: i32, most: i32) -> [u8; 3] {
    if n >= most {
        return [8, 10, 24];
    }
    let t = 0.32 * f64::from(n.max(0) + 1).ln().powf(1.35);
    [0.58, 0.68, 0.84].map(|phase: f64| {
        let wave = 0.5 - 0.5 * (std::f64::consts::TAU * (t + phase)).cos();
        (18.0 + 230.0 * wave) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::png;

    #[test]
    fn a_picture_has_its_size_and_dark_points() {
        let steps: Vec<u8> = [0i32, 3, 9, 9, 1, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
        let file = png(&steps, 3).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; 18];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(pixels[6..12], [8, 10, 24, 8, 10, 24]);
        assert_ne!(pixels[..3], pixels[3..6]);
    }
}
