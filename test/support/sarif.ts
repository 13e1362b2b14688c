import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const schemaFile = createRequire(import.meta.url).resolve(
  '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
);
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
formats.default(ajv);
// Draft 4; only the name of its id differs from later drafts here.
const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'));
/** Whether a log is valid SARIF 2.1.0; `errors` has the reasons. */
export const validSarif = ajv.compile(schema);
