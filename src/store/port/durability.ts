/** What keeps an acknowledged commit, as the store is set up at this moment. */
export interface Durability {
  /** Settings of the engine and their values, for people. */
  readonly settings: Readonly<Record<string, string>>;
  /** Standbys that stream from the server; undefined if the login may not see them. */
  readonly standbys: number | undefined;
  /** Why an acknowledged commit may be lost; empty if none is known. */
  readonly risks: readonly DurabilityRisk[];
}

export interface DurabilityRisk {
  readonly setting: string;
  readonly value: string;
  /** What may happen, and what to do about it. */
  readonly risk: string;
  readonly advice: string;
}
