import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const file = new URL('../../docs/schema/doctor-report.schema.json', import.meta.url);

/** The schema that ships with the documentation. */
export const doctorReportSchema = JSON.parse(readFileSync(file, 'utf8'));

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
formats.default(ajv);
const validate = ajv.compile(doctorReportSchema);

const changeReportFile = new URL('../../docs/schema/change-report.schema.json', import.meta.url);
const validateChange = ajv.compile(JSON.parse(readFileSync(changeReportFile, 'utf8')));

/** What is wrong with a ChangeReport, by its schema. */
export const changeSchemaErrors = (report: unknown): readonly string[] =>
  validateChange(report)
    ? []
    : (validateChange.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);

const certificateReportFile = new URL('../../docs/schema/certificate-report.schema.json', import.meta.url);
const validateCertificates = ajv.compile(JSON.parse(readFileSync(certificateReportFile, 'utf8')));

/** What is wrong with a CertificateReport, by its schema. */
export const certificateSchemaErrors = (report: unknown): readonly string[] =>
  validateCertificates(report)
    ? []
    : (validateCertificates.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
      );

/** What is wrong with a report, by the schema; nothing when it is as promised. */
export function schemaErrors(report: unknown): readonly string[] {
  return validate(report)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
