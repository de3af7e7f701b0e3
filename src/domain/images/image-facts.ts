/** What is known of an uploaded image. */
export interface ImageFacts {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}
