import type { Question } from '@passport/contract/permission-terms'
import { checkPermission } from '@passport/contract/permissions'
import { type Context, readContext } from './check-search.ts'
import { printReference, readObject, readReference } from './reference.ts'

const isGiven = (context: Context | undefined): context is Context =>
  context !== undefined && Object.keys(context).length > 0

/** Reads a line of assertions such as `document:payroll#view@user:dev with {"hour":10}`; undefined where it is none. */
export function readQuestion(line: string): Question | undefined {
  const parts = /^(?<resource>[^#@\s]+)#(?<permission>[^#@\s]+)@(?<subject>\S+)(?:\s+with\s+(?<context>.+))?$/s.exec(
    line.trim(),
  )?.groups
  const [resource, subject] = [readObject(parts?.['resource']), readReference(parts?.['subject'])]
  const context = readContext(parts?.['context'])
  if (!parts || !resource || !subject || !context) return undefined
  return { resource, permission: parts['permission'] ?? '', subject, ...(isGiven(context) && { context }) }
}

/** As a call by an application of its own, whose token is in `$TOKEN`. */
export function curlOf(question: Question, origin: string): string {
  return [
    `curl ${quoted(`${origin}${checkPermission.path}`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(question))}`,
  ].join(' \\\n  ')
}

/** As a command of SpiceDB's `zed`. */
export function zedOf({ resource, permission, subject, context }: Question): string {
  const asked = `zed permission check ${quoted(printReference(resource))} ${permission} ${quoted(printReference(subject))}`
  return isGiven(context) ? `${asked} --caveat-context ${quoted(JSON.stringify(context))}` : asked
}

/** As one word of a POSIX shell, whatever is in it. */
const quoted = (text: string) => (/^[\w:/#.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
