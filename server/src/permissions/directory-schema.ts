import { maxSchemaLength } from '@passport/contract/permissions'
import {
  compileAsNeeded,
  type Definition,
  PermissionError,
  parseSchema,
  printSchema,
  type Schema,
  SchemaError,
  type SchemaProblem,
  type SchemaText,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'

/** The directory's part of the schema. A migration of this feature maps the rows of the directory to relationships. */
const directorySchema = `/** Users, groups, organisations and roles of Passport. Always present, and managed by the directory. */
definition passport/user {}

definition passport/group {
	relation member: passport/user
	relation owner: passport/user
}

definition passport/org {
	relation owner: passport/user
	relation admin: passport/user
	relation member: passport/user
	permission manage = owner + admin
	permission belong = owner + admin + member
}

/** A role of Passport, with slashes instead of the dots in its name. */
definition passport/role {
	relation member: passport/user | passport/group#member
}
`

/** Reports whether the relationships of a type are rows of the directory. */
export const isDirectoryType = (type: string): boolean => type.startsWith('passport/')

/** Throws `directory-owned` for a type of the directory, whose changes have their own authorisation and audit events. */
export function rejectDirectoryType(type: string | undefined, field: string): void {
  if (type !== undefined && isDirectoryType(type))
    throw new PermissionError('directory-owned', `Relationships of ${type} are managed by the directory.`, field)
}

/** Combines an application's definitions with those of the directory. */
export const withDirectory = (text: string): string => (text ? `${text}\n\n${directorySchema}` : directorySchema)

const directoryDefinitions = parseSchema(directorySchema).definitions

/** Compiles an application's definitions. Throws `SchemaError` with positions in the application's text. */
export async function compileWithDirectory(text: string): Promise<Schema> {
  const { definitions, ...rest } = parseCached(text)
  return compileAsNeeded(withDirectory(text), { ...rest, definitions: [...definitions, ...directoryDefinitions] })
}

/** The last parsed text, since a call with a schema first checks its names, then compiles it. */
let last: { text: string; parsed: SchemaText } | undefined

function parseCached(text: string): SchemaText {
  if (last?.text !== text) last = { text, parsed: parseSchema(text) }
  return last.parsed
}

/**
 * Returns the application's part of a schema that may include the directory's part. Throws `SchemaError` if the text is
 * too long, if the directory's part was changed, or if a definition uses Passport's reserved prefix.
 */
export function applicationPart(text: string): string {
  if (text.length > maxSchemaLength) throw new SchemaError([tooLong])
  const printedDirectory = new Map(directoryDefinitions.map((definition) => [definition.name, print(definition)]))
  let part = text.replace(directorySchema.trimEnd(), '')
  const problems: SchemaProblem[] = []
  for (const definition of parseCached(part).definitions.toReversed()) {
    const { name, span } = definition
    if (!isDirectoryType(name)) continue
    if (printedDirectory.get(name) === print(definition))
      part = part.slice(0, span.start.offset) + part.slice(span.end.offset)
    else problems.unshift({ message: formatNameError(name, printedDirectory.has(name)), span })
  }
  const [first, ...furtherProblems] = problems
  if (first) throw new SchemaError([first, ...furtherProblems])
  return part.trim()
}

const start = { line: 1, column: 1, offset: 0 }
const tooLong = {
  message: `A schema must have at most ${maxSchemaLength} characters.`,
  span: { start, end: start },
}

const formatNameError = (name: string, isOfDirectory: boolean) =>
  isOfDirectory
    ? `\`${name}\` is reserved for Passport and cannot be changed.`
    : `\`${name}\`: names that begin with \`passport/\` are reserved for Passport.`

const print = ({ comment, ...definition }: Definition) =>
  printSchema({ uses: [], caveats: [], definitions: [definition] })

/** A cache of compiled schemas by id; the schema of an id never changes. */
export interface SchemaCache {
  /** Returns the compiled schema; for null, only the directory's part. Rejects if the schema does not exist. */
  find: (sql: Sql, id: string | null) => Promise<Schema>
}

const maxEntries = 20

export function createSchemaCache(): SchemaCache {
  const cache = new Map<string | null, Schema>()
  return {
    find: async (sql, id) => {
      const cached = cache.get(id)
      if (cached) return cached
      const text = id === null ? '' : await commitStore.readSchema(sql, id)
      if (text === undefined) throw new Error(`The schema ${id} does not exist.`)
      const schema = await compileWithDirectory(text)
      if (cache.size >= maxEntries) cache.clear()
      cache.set(id, schema)
      return schema
    },
  }
}
