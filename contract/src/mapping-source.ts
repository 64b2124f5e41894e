import * as z from 'zod/mini'

/** The source of a role or membership that a user has only by the mapping of an organisation; absent for manual ones. */
export const MappingSource = z.exactOptional(z.literal('mapping'))
