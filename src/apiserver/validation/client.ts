import { parseUri } from '../go/url.ts';
import { errors, type FieldError, invalid, requiredError } from './field-error.ts';
import { subdomainNameFaults } from './names.ts';
import type { SentClient } from './shapes.ts';

/**
 * The API server's error for a Service port that is out of range (apiserver/pkg/util/webhook/validation.go).
 *
 * @param port default 443.
 */
export const portErrors = (field: string, port = 443): readonly FieldError[] =>
  errors(
    (port < 1 || port > 65535) &&
      invalid(field, port, 'port is not valid: must be between 1 and 65535, inclusive'),
  );

const form = '; desired format: https://host[/path]';

/** apiserver/pkg/util/webhook/validation.go ValidateWebhookURL. */
function urlErrors(field: string, url: string): readonly FieldError[] {
  const parsed = parseUri(url);
  if ('refused' in parsed) return [requiredError(field, `url must be a valid URL: ${parsed.refused}${form}`)];
  const [, scheme = '', authority = '', rest = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(url) ?? [];
  const [hierarchy = '', fragment = ''] = [rest.split('#')[0], rest.split('#').slice(1).join('#')];
  const query = hierarchy.split('?').slice(1).join('?');
  const user = authority.includes('@') ? authority.slice(0, authority.lastIndexOf('@')) : undefined;
  return errors(
    scheme.toLowerCase() !== 'https' &&
      invalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`),
    parsed.host === '' && invalid(field, '', `host must be specified${form}`),
    user !== undefined && invalid(field, user, 'user information is not permitted in the URL'),
    fragment !== '' && invalid(field, fragment, 'fragments are not permitted in the URL'),
    query !== '' && invalid(field, query, 'query parameters are not permitted in the URL'),
  );
}

function pathErrors(field: string, path: string): readonly FieldError[] {
  if (path === '/' || path === '') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return errors(
    !path.startsWith('/') && invalid(field, path, "must start with a '/'"),
    steps.flatMap((step, index) =>
      step === ''
        ? [invalid(field, path, `segment[${index}] may not be empty`)]
        : subdomainNameFaults(step).map((fault) => invalid(field, path, `segment[${index}]: ${fault}`)),
    ),
  );
}

/** ValidateWebhookService gets name and namespace in the wrong order: the error names the other field. */
const serviceErrors = (
  field: string,
  { namespace = '', name = '', path, port }: NonNullable<SentClient['service']>,
): readonly FieldError[] =>
  errors(
    namespace === '' && requiredError(`${field}.name`, '', 'service name is required'),
    name === '' && requiredError(`${field}.namespace`, '', 'service namespace is required'),
    portErrors(`${field}.port`, port),
    path !== undefined && pathErrors(`${field}.path`, path),
  );

/** Errors of `clientConfig`: it must have exactly one of URL and Service. */
export function clientErrors(field: string, { url, service }: SentClient): readonly FieldError[] {
  if (url !== undefined && service === undefined) return urlErrors(`${field}.url`, url);
  if (service !== undefined && url === undefined) return serviceErrors(`${field}.service`, service);
  return [requiredError(field, 'exactly one of url or service is required')];
}

/**
 * Versions of which `admissionReviewVersions` and `conversionReviewVersions` must contain at least one: those
 * that the API server sends.
 */
export const reviewVersions = ['v1', 'v1beta1'] as const;
