import type { CheckRequest } from '@passport/contract/permission-terms'
import { checkPermission } from '@passport/contract/permissions'
import { formatCurl, quoteWord } from '../app/shell-command.ts'
import { type Context, parseContext } from './check-search.ts'
import { parseObject, parseReference, printReference } from './reference.ts'

const hasValues = (context: Context | undefined): context is Context =>
  context !== undefined && Object.keys(context).length > 0

/** Parses an assertion such as `document:payroll#view@user:dev with {"hour":10}`; undefined if invalid. */
export function parseQuestionText(line: string): CheckRequest | undefined {
  const parts = /^(?<resource>[^#@\s]+)#(?<permission>[^#@\s]+)@(?<subject>\S+)(?:\s+with\s+(?<context>.+))?$/s.exec(
    line.trim(),
  )?.groups
  const [resource, subject] = [parseObject(parts?.['resource']), parseReference(parts?.['subject'])]
  const context = parseContext(parts?.['context'])
  if (!parts || !resource || !subject || !context) return undefined
  return { resource, permission: parts['permission'] ?? '', subject, ...(hasValues(context) && { context }) }
}

/** Formats a question as a curl command, with the application's token in `$TOKEN`. */
export const toCurl = (question: CheckRequest, origin: string): string =>
  formatCurl({ url: `${origin}${checkPermission.path}`, body: question })

/** Formats a question as a command of SpiceDB's `zed`. */
export function toZed({ resource, permission, subject, context }: CheckRequest): string {
  const command = `zed permission check ${quoteWord(printReference(resource))} ${permission} ${quoteWord(printReference(subject))}`
  return hasValues(context) ? `${command} --caveat-context ${quoteWord(JSON.stringify(context))}` : command
}
