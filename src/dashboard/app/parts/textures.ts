// What tells states apart in a canvas without colour: hatching, lines, a cross.

import type { Tokens } from './canvas.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const crossFrom = 6;

export function fillHatched(context: CanvasRenderingContext2D, box: Box, colour: string): void {
  const { x, y, width, height } = box;
  context.save();
  clipTo(context, box);
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.beginPath();
  for (let at = -height; at < width; at += 4) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.restore();
}

export function fillLined(context: CanvasRenderingContext2D, box: Box, colour: string): void {
  const { x, y, width, height } = box;
  context.fillStyle = colour;
  for (let at = 1; at < height; at += 3) context.fillRect(x, y + at, width, 1);
}

/** Red, with a cross as soon as there is room for one. */
export function fillFailed(context: CanvasRenderingContext2D, box: Box, token: Tokens): void {
  const { x, y, width, height } = box;
  context.fillStyle = token('failed');
  context.fillRect(x, y, width, height);
  if (width < crossFrom) return;
  const arm = Math.min(3, width / 2 - 1.4, height / 2 - 1.4);
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  context.strokeStyle = token('surface');
  context.lineWidth = 1.3;
  context.beginPath();
  context.moveTo(middleX - arm, middleY - arm);
  context.lineTo(middleX + arm, middleY + arm);
  context.moveTo(middleX + arm, middleY - arm);
  context.lineTo(middleX - arm, middleY + arm);
  context.stroke();
}

export function outline(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: Box,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, width - 1), Math.max(0.5, height - 1));
}

function clipTo(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
}
