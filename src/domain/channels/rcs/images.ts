/** Rules for uploaded images in RCS messages. */

import type { ImageFacts } from '../../images/image-facts.ts';
import { Problem } from '../../request/problem.ts';
import type { FileUse } from '../channel-description.ts';
import { type ImageSize, type RcsFormat, rcsFormatOf } from './formats.ts';
import { type RcsStep, rcsCardMediaOf, rcsSubMediaOf } from './rcs.ts';

/** All cards of a message together (specification, formatId table). */
const MOST_RCS_BYTES = 1024 * 1024;

type Find = (reference: string) => ImageFacts | undefined;

/**
 * Images uploaded here must have a size of the format, and those of all cards together a limited weight. References that
 * `find` does not know are left to the network.
 */
export function rcsImageProblem(step: RcsStep, find: Find): Problem | undefined {
  const format = rcsFormatOf(step);
  if (!format) return undefined;
  const images = known(rcsCardMediaOf(step), find);
  const details = known(rcsSubMediaOf(step), find);
  const { imageSizes, subImageSize } = format;
  const problem =
    sizeProblem(images, imageSizes, format) ?? (subImageSize && sizeProblem(details, [subImageSize], format));
  if (problem) return problem;
  const total = images.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MOST_RCS_BYTES) return undefined;
  return new Problem('A200', `"body" has more than 1 MB of images (was ${total} bytes)`);
}

interface KnownImage extends ImageFacts {
  readonly field: string;
}

function known(uses: readonly FileUse[], find: Find): KnownImage[] {
  return uses.flatMap(({ field, name }) => {
    const facts = find(name);
    return facts ? [{ field, ...facts }] : [];
  });
}

function sizeProblem(
  images: readonly KnownImage[],
  sizes: readonly ImageSize[],
  { id }: RcsFormat,
): Problem | undefined {
  const odd = images.find(image =>
    sizes.every(size => size.width !== image.width || size.height !== image.height),
  );
  if (!odd) return undefined;
  const wanted = sizes.map(({ width, height }) => `${width}x${height}`).join(' or ');
  return new Problem('A203', `"${odd.field}" is ${odd.width}x${odd.height}, ${id} needs ${wanted}`);
}
