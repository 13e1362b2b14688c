import type { RbacManifests } from '../render/rbac/rbac-object.ts';
import { type RbacFormat, rbacFormats, renderRbac } from '../render/rbac/render-rbac.ts';

export { rbacFormats };

/** Writes manifests to stdout. */
export const printRbac = (manifests: RbacManifests, format: RbacFormat): void => {
  process.stdout.write(renderRbac(manifests, format));
};
