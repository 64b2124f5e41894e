import { isObjectId } from '@passport/permissions/names'
import { misnamed } from '@passport/permissions/relationship-names'

/** What is wrong with the id of an object, in the words of the service; undefined where it may stand, is `*`, or empty. */
export const idFault = (id: string): string | undefined =>
  id === '' || id === '*' || isObjectId(id) ? undefined : misnamed('id', id, 'id').message
