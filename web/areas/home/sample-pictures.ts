const width = 640;
const height = 420;

/** A field under a sky, in different colours for each number; PNG, drawn in the browser. */
export async function drawPicture(number: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser draws no pictures');
  const hue = (number * 47) % 360;
  const sky = context.createLinearGradient(0, 0, 0, height / 2);
  sky.addColorStop(0, `hsl(${(hue + 200) % 360} 60% 62%)`);
  sky.addColorStop(1, `hsl(${(hue + 230) % 360} 70% 88%)`);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height / 2);
  context.fillStyle = `hsl(${(hue + 40) % 360} 85% 70%)`;
  context.beginPath();
  context.arc(90 + ((number * 83) % 460), 70 + ((number * 29) % 60), 34, 0, 2 * Math.PI);
  context.fill();
  const rows = 14;
  for (let row = 0; row < rows; row += 1) {
    const far = row / rows;
    context.fillStyle = `hsl(${90 + ((hue / 4) % 50)} ${30 + 30 * far}% ${26 + (row % 2) * 9 + 14 * (1 - far)}%)`;
    const top = height / 2 + (height / 2) * far ** 1.6;
    context.fillRect(0, top, width, height - top);
  }
  return canvas.convertToBlob({ type: 'image/png' });
}
