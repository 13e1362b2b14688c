import { Document, visit } from 'yaml';
import { escapeForYaml, hasInvisible } from './escape-invisible.ts';

/**
 * One YAML document with the same values as the JSON one. Words that YAML 1.1 reads as something else (`on`, `no`,
 * `1:30`) are quoted, since many readers still do; texts that hold what a terminal would obey are double-quoted and
 * escaped.
 */
export function renderYaml(document: object): string {
  // Through JSON, so that both formats agree on what `undefined` means: nothing.
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
