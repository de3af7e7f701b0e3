/** Calls of the operations that the gateway declares. Only their types are taken from there: none of their words are loaded. */
import type { AnswerOf, Asked } from '../../../src/operations/operation.ts';
import type { CallOperation, Operations } from '../../../src/operations/operations.ts';
import { requestFor } from '../../../src/operations/request-for.ts';
import { type ListQuestion, type Question, read, readList, readMember } from '../answers/question.ts';
import { call, callFile } from './call.ts';

/** The address of an operation that answers with JSON, or with a file. */
type Address = keyof Operations;
type FileAddress = Extract<Address, `GET ${string}/csv`>;

export const operate: CallOperation = (address, asked) => {
  const { method, path, query, body } = requestFor(address, asked);
  const sent = typeof body === 'string' ? new Blob([body], { type: 'text/csv' }) : body;
  return call(method, path, { query, ...(sent && { body: sent }) });
};

/** All parts of a file for spreadsheets. Each has the names of the columns. */
export async function readFile<A extends FileAddress>(
  address: A,
  asked: Asked<Operations[A]>,
): Promise<string> {
  const { path, query } = requestFor(address, asked);
  let text = '';
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const part: { readonly text: string; readonly next: string | null } = await callFile(path, {
      query: { ...query, cursor },
    });
    text += text === '' ? part.text : part.text.slice(part.text.indexOf('\n') + 1);
    cursor = part.next;
  }
  return text;
}

export function ask<A extends Address>(
  address: A,
  asked: Asked<Operations[A]>,
): Question<AnswerOf<Operations[A]>> {
  const { path, query } = requestFor(address, asked);
  return read(path, query);
}

/** One member of the answer. */
export function askMember<A extends Address, const Member extends string & keyof AnswerOf<Operations[A]>>(
  address: A,
  member: Member,
  asked: Asked<Operations[A]>,
): Question<AnswerOf<Operations[A]>[Member]> {
  const { path, query } = requestFor(address, asked);
  return readMember(path, member, query);
}

type RowOf<A extends Address, Member> = Member extends keyof AnswerOf<Operations[A]>
  ? AnswerOf<Operations[A]>[Member] extends readonly (infer Row)[]
    ? Row
    : never
  : never;

export function askList<A extends Address, const Member extends string & keyof AnswerOf<Operations[A]>>(
  address: A,
  member: Member,
  asked: Asked<Operations[A]>,
): ListQuestion<RowOf<A, Member>> {
  const { path, query } = requestFor(address, asked);
  return readList(path, member, query);
}
