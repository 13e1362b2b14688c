/**
 * Turns the conversion of a CRD off. The API server then only changes the `apiVersion` of its objects, so fields that a
 * version lacks are lost (apiextensions-apiserver pkg/apiserver/conversion/nop_converter.go).
 */
export const conversionOff =
  '`kubectl patch crd {crd} --type=merge -p \'{"spec":{"conversion":{"strategy":"None","webhook":null}}}\'`';
