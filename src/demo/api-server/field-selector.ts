import { SelectorError } from '../../facts/label-selector-text.ts';
import { type ApiObject, fieldOf } from './api-object.ts';
import type { ApiResource } from './built-in-resources.ts';

const own = ['metadata.name', 'metadata.namespace'];

/**
 * Fields that selectors support for a kind, in addition to name and namespace
 * (pkg/apis/core/v1/conversion.go).
 */
const further: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  secrets: ['type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  services: ['spec.clusterIP', 'spec.type'],
};

const selectedValue = (object: ApiObject, field: string): string => {
  const value = fieldOf(object, field === 'source' ? 'source.component' : field);
  return value === undefined || value === null ? '' : String(value);
};

function checkField(resource: ApiResource, field: string): void {
  const known = [...own, ...((resource.group === '' ? further[resource.plural] : undefined) ?? [])];
  if (known.includes(field)) return;
  const special = resource.custom || (resource.group === '' && resource.plural in further);
  throw new SelectorError(
    special
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Parses `fieldSelector` (apimachinery pkg/fields/selector.go), without its escape sequences. */
export function parseFieldSelector(text: string, resource: ApiResource): (object: ApiObject) => boolean {
  const tests = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^([^=!]*)(!=|==|=)(.*)$/.exec(term);
      if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      checkField(resource, field);
      return (object: ApiObject) => (selectedValue(object, field) === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}
