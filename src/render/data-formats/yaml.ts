import { Document, visit } from 'yaml';
import { escapeForYaml, hasInvisible } from '../text/escape-invisible.ts';

/**
 * Prints a YAML document with the same values as the JSON one. Strings that YAML 1.1 reads as another type
 * (`on`, `no`, `1:30`) are quoted, since many parsers still do that; strings with characters that a terminal
 * obeys are double-quoted and escaped.
 */
export function renderYaml(document: object): string {
  // Through JSON, so that both formats omit `undefined`.
  const yaml = new Document(JSON.parse(JSON.stringify(document)), {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(yaml, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && hasInvisible(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeForYaml(yaml.toString({ lineWidth: 0 }));
}
