import { CannotStart } from './with-cluster.ts';

/** Ids as typed → ids of the catalogue, former names included. Throws {@link CannotStart} for one that is none. */
export async function checkIds(typed: readonly string[]): Promise<readonly string[]> {
  if (typed.length === 0) return [];
  // Loaded only for who asks: the start of a plain run counts.
  const { catalogue } = await import('../checks/catalogue.ts');
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

/** Every id by which a check is known, former ones included, and the id that it has. */
export async function allCheckIds(): Promise<ReadonlyMap<string, string>> {
  const { catalogue } = await import('../checks/catalogue.ts');
  return new Map(
    catalogue.flatMap(({ meta }) => [meta.id, ...(meta.aliases ?? [])].map((id) => [id, meta.id] as const)),
  );
}
