/** Rules for uploaded images in RCS messages. */

import type { ImageFacts } from '../../images/image-facts.ts';
import { Problem } from '../../request/problem.ts';
import { findRcsFormat } from './formats.ts';
import { type RcsStep, rcsCardMediaOf } from './rcs.ts';

/** All cards of a message together (specification, formatId table). */
const MOST_RCS_BYTES = 1024 * 1024;

/**
 * Images uploaded here must have a size of the format, and those of all cards together a limited weight. References that
 * `find` does not know are left to the network.
 */
export function rcsImageProblem(
  step: RcsStep,
  find: (reference: string) => ImageFacts | undefined,
): Problem | undefined {
  const format = findRcsFormat(step.formatId);
  if (!format) return undefined;
  const images = rcsCardMediaOf(step).flatMap(reference => find(reference) ?? []);
  for (const { width, height } of images) {
    const fits = format.imageSizes.some(size => size.width === width && size.height === height);
    if (fits) continue;
    const wanted = format.imageSizes.map(size => `${size.width}x${size.height}`).join(' or ');
    return new Problem('A203', `"media" is ${width}x${height}, ${step.formatId} needs ${wanted}`);
  }
  const total = images.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MOST_RCS_BYTES) return undefined;
  return new Problem('A200', `the images of all cards are bigger than 1 MB together (was ${total} bytes)`);
}
