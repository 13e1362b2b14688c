import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { catalogue as checks } from '../../src/checks/catalogue.ts';
import { remedyCatalogue as remedies } from '../../src/remedies/catalogue.ts';

const src = join(import.meta.dirname, '..', '..', 'src');

/**
 * Names in the model that are also ids of checks: the end of a call (printed by `scan`), the reason for no
 * call, a certificate fault.
 */
const ofTheModel: readonly string[] = [
  ...['service-missing', 'address-not-allowed', 'ca-bundle-invalid', 'weak-key'],
  ...['weak-signature', 'unhandled-critical-extension'],
];

/** The only folders with names of checks and remedies; the expectations of scenarios are tests. */
const home = /^(checks|remedies|demo\/scenarios)\//;

const ids = new Set([
  ...checks.flatMap(({ meta }) => [meta.id, ...(meta.aliases ?? [])]),
  ...remedies.map(({ meta }) => meta.id),
]);

describe('ids of checks and remedies', () => {
  it('are in checks/ and remedies/ only: what others need of one is in its meta', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) =>
      file.replaceAll('\\', '/'),
    );
    const found = files
      .filter((file) => file.endsWith('.ts') && !home.test(file))
      .flatMap((file) => {
        const quoted = [...readFileSync(join(src, file), 'utf8').matchAll(/(['"`])([a-z0-9-]+)\1/g)];
        const named = quoted.flatMap(([, , id = '']) => (ids.has(id) ? [id] : []));
        const model = /^(apiserver|explain|serving-certificates)\//.test(file) ? ofTheModel : [];
        return named.filter((id) => !model.includes(id)).map((id) => `${file}: ${id}`);
      });
    expect(found).to.deep.equal([]);
  });
});
