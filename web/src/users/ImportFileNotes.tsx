import type { ImportFile, UserImport } from '@passport/contract/user-imports'
import { TriangleAlert } from 'lucide-react'
import { Note } from '../ui/Note.tsx'
import { formatUsers } from './bulk-texts.ts'

const separators: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

/** Why a column is ignored, after its name. */
const reasons = { unknown: '', password: ' (passwords are not imported)', 'other-import': ' (only by npm run import)' }

/** How a file was read: its encoding, its separator and the ignored columns. */
export function ImportFileNotes({
  file,
  unreachable = 0,
  valid,
}: Pick<UserImport, 'unreachable' | 'valid'> & { file: ImportFile }) {
  const ignored = file.columns.flatMap((column) =>
    column.ignored ? [{ ...column, reason: reasons[column.ignored] }] : [],
  )
  return (
    <div className="grid gap-2 border-t border-line px-4 py-3 text-[13px] sm:px-[18px]">
      <p className="text-ink2">
        {file.encoding}, separated by {separators[file.separator] ?? file.separator}
      </p>
      {ignored.length > 0 && (
        <section aria-label="Ignored columns">
          <h3 className="text-ink3">Ignored columns</h3>
          <p className="mt-1 text-ink2 wrap-anywhere">{ignored.map(({ name, reason }) => name + reason).join(', ')}</p>
        </section>
      )}
      {unreachable > 0 && (
        <Note icon={<TriangleAlert size={18} />} title="No email or username">
          {unreachable === valid ? 'No user gets an email or a username.' : `${formatUsers(unreachable)} get neither.`}{' '}
          Nobody can sign in to such an account.
        </Note>
      )}
    </div>
  )
}
