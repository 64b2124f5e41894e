import type { z } from 'zod/mini'

type Hyphenated<T extends string> = T extends `${infer First}_${infer Rest}` ? `${First}-${Hyphenated<Rest>}` : T

/** The checks of the contract's schemas. */
const schemaErrors: Record<Hyphenated<z.core.$ZodIssue['code']>, string> = {
  custom: 'The value breaks the rule in the message.',
  'invalid-element': 'An element of the collection is invalid.',
  'invalid-format': 'The text does not have the required format.',
  'invalid-key': 'A key of the object is invalid.',
  'invalid-type': 'The value has another type.',
  'invalid-union': 'The value fits none of the allowed shapes.',
  'invalid-value': 'The value is not one of the allowed values.',
  'not-multiple-of': 'The number is not a multiple of the required one.',
  'too-big': 'The number is too large, the text too long, or the list has too many elements.',
  'too-small': 'The number is too small, the text too short, or the list has too few elements.',
  'unrecognized-keys': 'The object has unknown members, which this endpoint rejects.',
}

/** The meanings of the codes in `errors` that are never the code of a problem. */
export const fieldErrors: Record<string, string> = {
  ...schemaErrors,
  'header-missing': 'The endpoint requires this header.',
  'in-the-future': 'The moment must not be in the future.',
  'in-the-past': 'The moment must be in the future.',
  missing: 'The field is required. A call that replaces something needs every field; null clears an optional one.',
  'no-preview': 'This endpoint does not support `preview`.',
  'not-asked-for': 'The device did not request this scope.',
  'not-found': 'The user, role or organisation does not exist.',
  'not-with-updated-since': 'The parameter cannot be combined with `updatedSince`.',
  'role-unknown': 'The role does not exist for this kind of target.',
  'too-deep': 'The value is nested too deep.',
  'too-far': 'The page number is too high.',
  'unknown-parameter': 'The endpoint has no such query parameter.',
  unsupported: 'The requested version of the API does not exist.',
}
