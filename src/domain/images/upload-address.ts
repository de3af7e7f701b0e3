/** Addresses of uploaded images: those under which a gateway of this contract serves them. */

export const UPLOAD_ADDRESS = /^https?:\/\/\S+\/files\/([0-9A-Z]{32})$/;

export function isUploadAddress(text: string): boolean {
  return UPLOAD_ADDRESS.test(text);
}
