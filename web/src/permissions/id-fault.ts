import { isObjectId, malformedName } from '@passport/permissions'

/** Returns the fault of an object id, in the service's words; undefined if valid, `*` or empty. */
export const idFault = (id: string): string | undefined =>
  id === '' || id === '*' || isObjectId(id) ? undefined : malformedName('id', id, 'id').message
