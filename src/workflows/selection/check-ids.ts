import { CannotStart } from '../cluster/cannot-start.ts';

/** Resolves typed ids, former ones too, to current ids. Throws {@link CannotStart} for an unknown one. */
export async function checkIds(typed: readonly string[]): Promise<readonly string[]> {
  if (typed.length === 0) return [];
  // Loaded on demand, to keep the start of other runs fast.
  const { catalogue } = await import('../../checks/catalogue.ts');
  return typed
    .flatMap((text) => text.split(','))
    .map((id) => {
      const check = catalogue.find(({ meta }) => meta.id === id || meta.aliases?.includes(id));
      if (check === undefined) {
        throw new CannotStart(`there is no check "${id}"`, 'All checks: kubectl webhook checks');
      }
      return check.meta.id;
    });
}

/** Every id of a check, including former ones, with its current id. */
export async function allCheckIds(): Promise<ReadonlyMap<string, string>> {
  const { catalogue } = await import('../../checks/catalogue.ts');
  return new Map(
    catalogue.flatMap(({ meta }) => [meta.id, ...(meta.aliases ?? [])].map((id) => [id, meta.id] as const)),
  );
}
