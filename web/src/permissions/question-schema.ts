import { getPermissionSchema } from '@passport/contract/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { readSchema, type SchemaWithETag } from './schema.ts'
import { useWhatIf } from './what-if.ts'

/** Returns the schema of the questions: the supposed one, if any. */
export function useQuestionSchema(): UseQueryResult<SchemaWithETag> {
  const text = useWhatIf()?.schema
  return useQuery({
    queryKey: [getPermissionSchema.path, ...(text === undefined ? [] : ['supposed', text])],
    queryFn: async ({ signal }) => {
      const stored = await readSchema(signal)
      if (text === undefined) return stored
      const { reflectSchemaText } = await import('./what-if-schema.ts')
      return { ...stored, ...reflectSchemaText(text, stored.text) } as SchemaWithETag
    },
  })
}
