import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { catalogue as checks } from '../../src/checks/catalogue.ts';
import { remedyCatalogue as remedies } from '../../src/remedies/catalogue.ts';

const src = join(import.meta.dirname, '..', '..', 'src');

/**
 * Words of the model that a check has for a name, too: how a call ends (`scan` prints these), why none can be made, and
 * what is wrong with a certificate.
 */
const ofTheModel: readonly string[] = [
  ...['service-missing', 'address-not-allowed', 'ca-bundle-invalid', 'weak-key'],
  ...['weak-signature', 'unhandled-critical-extension'],
];

/** Where names of checks and remedies are at home; what a scenario expects is a test. */
const home = /^(checks|remedies|demo\/scenarios)\//;

const ids = new Set([
  ...checks.flatMap(({ meta }) => [meta.id, ...(meta.aliases ?? [])]),
  ...remedies.map(({ meta }) => meta.id),
]);

describe('ids of checks and remedies', () => {
  it('stand in checks/ and remedies/ only: what others need to know of one is in its meta', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) =>
      file.replaceAll('\\', '/'),
    );
    const found = files
      .filter((file) => file.endsWith('.ts') && !home.test(file))
      .flatMap((file) => {
        const quoted = [...readFileSync(join(src, file), 'utf8').matchAll(/(['"`])([a-z0-9-]+)\1/g)];
        const named = quoted.flatMap(([, , id = '']) => (ids.has(id) ? [id] : []));
        const model = /^(apiserver|serving-certificates)\//.test(file) ? ofTheModel : [];
        return named.filter((id) => !model.includes(id)).map((id) => `${file}: ${id}`);
      });
    expect(found).to.deep.equal([]);
  });
});
