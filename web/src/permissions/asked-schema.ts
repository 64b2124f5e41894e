import { getPermissionSchema } from '@passport/contract/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type KnownSchema, readSchema } from './schema.ts'
import { useSupposition } from './supposition.ts'

/** The schema that questions are asked under: the supposed one, where another is supposed. */
export function useAskedSchema(): UseQueryResult<KnownSchema> {
  const text = useSupposition()?.schema
  return useQuery({
    queryKey: [getPermissionSchema.path, ...(text === undefined ? [] : ['supposed', text])],
    queryFn: async ({ signal }) => {
      const stored = await readSchema(signal)
      if (text === undefined) return stored
      const { reflectText } = await import('./supposed-schema.ts')
      return { ...stored, ...reflectText(text, stored.text) } as KnownSchema
    },
  })
}
