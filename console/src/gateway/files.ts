import { readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export interface StoredFile {
  readonly fileKey: string;
  readonly account: string;
  readonly service: string;
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly format: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly url: string;
}

export interface Uploaded {
  readonly fileKey: string;
  /** For RCS. */
  readonly media?: string;
  /** For friendtalk and brandmessage. */
  readonly imgUrl?: string;
}

/** What an image is uploaded for: the service and, where sizes depend on it, the kind. */
export interface ImagePurpose {
  readonly service: 'MMS' | 'RCS' | 'FRIENDTALK' | 'BRANDMESSAGE';
  readonly kind?: string;
}

export const listFiles = (account: string) => ({
  ...readList<StoredFile>('/files', 'files', { account }),
  about: `/files ${account}`,
});

export const uploadFile = (account: string, purpose: ImagePurpose, file: File) => {
  const body = new FormData();
  body.append('file', file, file.name);
  const kind = purpose.kind === undefined ? [] : [purpose.kind];
  return call<Uploaded>('POST', pathOf('accounts', account, 'files', purpose.service, ...kind), { body });
};

export const deleteFile = (fileKey: string) => call<void>('DELETE', pathOf('files', fileKey));

/** Where the operator sees the bytes of a file. */
export function contentUrl(fileKey: string): string {
  return `/admin/v1/files/${encodeURIComponent(fileKey)}/content`;
}
