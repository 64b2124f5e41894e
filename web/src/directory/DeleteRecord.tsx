import { Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { hasRole } from '../app/current-user.ts'
import { capitalize, reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { DangerRow } from '../ui/DangerZone.tsx'
import { type PreviewQuery, usePreview } from './use-preview.tsx'

type Kind = 'user' | 'organisation' | 'group' | 'role'

interface DeleteRecordProps {
  kind: Kind
  name: string
  /** The text to type, if not the name. */
  phrase?: string | null
  /** What is lost with the record, as a sentence. */
  consequence: string
  /** The list to return to. */
  list: NonNullable<LinkProps['to']>
  /** Deletes the record; with `preview`, returns the effect on roles. */
  remove: (query: PreviewQuery) => Promise<unknown>
  /** Restores the record; omitted if that is impossible. */
  restore?: () => Promise<unknown>
}

/**
 * Returns a function that deletes a record: after a preview of the effect on roles and its typed name. It then returns to
 * the list and offers to undo the deletion. The dialog must be rendered.
 */
export function useDeleteRecord() {
  const [isBusy, setBusy] = useState(false)
  const { change, dialog } = usePreview()
  const navigate = useNavigate()
  const isAdmin = hasRole(useCurrentUser(), 'Passport.Admin')
  const refresh = () => void queryClient.invalidateQueries()

  async function deleteRecord(record: DeleteRecordProps) {
    const { kind, name, phrase, list, remove, restore } = record
    setBusy(true)
    try {
      const isDeleted = await change(remove, {
        title: `Delete ${name}?`,
        action: `Delete ${kind}`,
        phrase: phrase ?? name,
        details: describeDeletion(record, isAdmin),
      })
      if (isDeleted) {
        // Before the refresh, which would request the deleted record on its page.
        await navigate({ to: list as never })
        const message = `${capitalize(kind)} deleted`
        if (restore) reportWithUndo(message, () => restore().finally(refresh))
        else reportSuccess(message)
      }
    } catch (error) {
      reportFailure(`delete the ${kind}`, error)
    }
    setBusy(false)
    refresh()
  }
  return { deleteRecord, isAdmin, isBusy, dialog }
}

function describeDeletion({ kind, consequence, restore }: DeleteRecordProps, isAdmin: boolean): string {
  if (!restore) return `${consequence} This can't be undone.`
  return `${consequence} ${isAdmin ? 'You' : 'Administrators'} can restore the ${kind} for 30 days.`
}

/** The row of a danger zone that deletes a record. */
export function DeleteRecord(props: DeleteRecordProps) {
  const { kind, restore } = props
  const { deleteRecord, isAdmin, isBusy, dialog } = useDeleteRecord()
  return (
    <>
      <DangerRow
        title={`Delete ${kind}`}
        description={
          <>
            {describeDeletion(props, isAdmin)}{' '}
            {restore && isAdmin && (
              <Link
                to="/admin/trash"
                search={{ kind: kind === 'organisation' ? 'org' : kind } as never}
                className="link"
              >
                Open trash
              </Link>
            )}
          </>
        }
        action={
          <Button variant="danger" isBusy={isBusy} onClick={() => void deleteRecord(props)}>
            Delete…
          </Button>
        }
      />
      {dialog}
    </>
  )
}
