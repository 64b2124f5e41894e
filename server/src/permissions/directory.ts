import { maxSchemaLength } from '@passport/contract/permissions'
import { compileAsNeeded } from '@passport/permissions/compile-as-needed'
import { SchemaFault, type SchemaProblem } from '@passport/permissions/fault'
import { parseSchema } from '@passport/permissions/parse'
import { printSchema } from '@passport/permissions/print'
import type { Definition, Schema } from '@passport/permissions/schema'

/** What the directory is in the schema; the migrations of this room tell which of its rows are which relationships. */
const directorySchema = `/** Passport's own: people, and what the directory knows of them. It is always there, and changed in the directory. */
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

/** A role of Passport; the dots of its name are slashes here. */
definition passport/role {
	relation member: passport/user | passport/group#member
}
`

/** Whether relationships of this type are rows of the directory, which no application writes. */
export const isOfDirectory = (type: string): boolean => type.startsWith('passport/')

/** What an application defines together with what is always there. */
export const withDirectory = (text: string): string => (text ? `${text}\n\n${directorySchema}` : directorySchema)

/** Compiles what an application defines. Throws `SchemaFault`, its places in the application's text. */
export const compileWithDirectory = (text: string): Promise<Schema> => compileAsNeeded(withDirectory(text))

/**
 * What an application defines of a schema that may hold the directory's part as it was shown. Throws `SchemaFault` where
 * it is too long, that is another by now, or where a definition has a name that begins as Passport's own do.
 */
export function applicationPart(text: string): string {
  if (text.length > maxSchemaLength) throw new SchemaFault([tooLong])
  const own = new Map(parseSchema(directorySchema).definitions.map((one) => [one.name, printed(one)]))
  let part = text.replace(directorySchema.trimEnd(), '')
  const problems: SchemaProblem[] = []
  for (const definition of parseSchema(part).definitions.toReversed()) {
    const { name, span } = definition
    if (!isOfDirectory(name)) continue
    if (own.get(name) === printed(definition)) part = part.slice(0, span.start.offset) + part.slice(span.end.offset)
    else problems.unshift({ message: refusal(name, own.has(name)), span })
  }
  const [first, ...others] = problems
  if (first) throw new SchemaFault([first, ...others])
  return part.trim()
}

const start = { line: 1, column: 1, offset: 0 }
const tooLong = {
  message: `A schema has at most ${maxSchemaLength} characters.`,
  span: { start, end: start },
}

const refusal = (name: string, isThere: boolean) =>
  isThere
    ? `\`${name}\` is Passport’s own and stays as it is.`
    : `\`${name}\`: names that begin with \`passport/\` are Passport’s own.`

const printed = ({ comment, ...definition }: Definition) =>
  printSchema({ uses: [], caveats: [], definitions: [definition] })
