import { type LinkProps, useRouter } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { hasRole } from '../app/current-user.ts'
import { reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import type { CacheEdit } from '../app/optimistic-update.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { queryClient } from '../app/query-client.ts'
import { capitalize } from '../ui/capitalize.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { type PreviewQuery, usePreview } from './use-preview.tsx'

type Kind = 'user' | 'organisation' | 'group' | 'role' | 'application' | 'API' | 'entitlement' | 'product' | 'text'

interface DeletedRecord {
  kind: Kind
  name: string
  /** The text to type, if not the name. */
  phrase?: string | null
  /** What is lost with the record, as a sentence. */
  consequence: string
  /** The list to return to from the record's page. */
  list: NonNullable<LinkProps['to']>
  /** Removes the record from the cached lists, as soon as the deletion is sent. */
  edits?: CacheEdit[]
  /** Whether users may lose a role with the record. Default: true. */
  affectsRoles?: boolean
  /** Deletes the record; with `preview`, returns the effect on roles. */
  remove: (query: PreviewQuery) => Promise<unknown>
  /** Restores the record; omitted if that is impossible. */
  restore?: () => Promise<unknown>
}

/**
 * Returns the menu item that deletes a record, after a preview of the effect on roles and its typed name. The record's
 * page then returns to the list; the list stays, with its search. A message offers Undo. The dialog must be rendered.
 */
export function useDeleteRecord() {
  const { change, dialog } = usePreview()
  const router = useRouter()
  const isAdmin = hasRole(useCurrentUser(), 'Passport.Admin')
  const refresh = () => void queryClient.invalidateQueries()

  async function deleteRecord(record: DeletedRecord) {
    const { kind, name, phrase, list, edits, affectsRoles, remove, restore } = record
    const confirmation = {
      title: `Delete ${name}?`,
      action: `Delete ${kind}`,
      phrase: phrase ?? name,
      isOneUser: kind === 'user',
      details: describeDeletion(record, isAdmin),
    }
    try {
      const isDeleted = await change(remove, confirmation, { edits, affectsRoles })
      if (isDeleted) {
        const { pathname } = router.buildLocation({ to: list as never })
        // Before the refresh, which would request the deleted record on its page.
        if (router.latestLocation.pathname !== pathname) await router.navigate({ to: list as never })
        const message = `${capitalize(kind)} deleted`
        if (restore) reportWithUndo(message, () => restore().finally(refresh))
        else reportSuccess(message)
      }
    } catch (error) {
      reportFailure(`delete the ${kind}`, error)
    }
    refresh()
  }
  /** Returns the item of the record's menu. */
  const deleteItem = (record: DeletedRecord): MenuItem => ({
    label: 'Delete',
    icon: <Trash2 size={16} />,
    isDanger: true,
    onSelect: () => void deleteRecord(record),
  })
  return { deleteItem, dialog }
}

function describeDeletion({ kind, consequence, restore }: DeletedRecord, isAdmin: boolean): string {
  if (!restore) return `${consequence} This can't be undone.`
  return `${consequence} ${isAdmin ? 'You' : 'Administrators'} can restore the ${kind} for 30 days.`
}
