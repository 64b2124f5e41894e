import { ApiError } from '@passport/contract/call'
import { type Group, type GroupChange, getGroup } from '@passport/contract/groups'
import { useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { updateOptimistically } from '../app/optimistic-update.ts'
import { formatCount } from '../directory/total.ts'
import { type PreviewQuery, usePreview } from '../directory/use-preview.tsx'
import { CompareDialog, type Difference } from '../ui/CompareDialog.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { type GroupUserKind, nouns } from './area.ts'
import { changeGroupUsers, editGroupUsers, type GroupUserAction, splitIntoBatches } from './change-group-users.ts'
import { refreshGroups } from './refresh.ts'

const verbs = { add: 'Add', remove: 'Remove' }

/**
 * Returns `change`, which adds or removes members or owners and resolves with the changed ids. Changes of roles are
 * confirmed first; after a concurrent change, both versions are compared. Render `dialog` anywhere on the page.
 */
export function useGroupUsers(group: Group, kind: GroupUserKind) {
  const preview = usePreview()
  const [differences, setDifferences] = useState<Difference[]>()
  const resolveAnswer = useRef<(isMine: boolean) => void>(undefined)

  const compare = (differences: Difference[]) =>
    new Promise<boolean>((resolve) => {
      resolveAnswer.current = resolve
      setDifferences(differences)
    }).finally(() => setDifferences(undefined))

  async function send(action: GroupUserAction, users: Pickable[], version: number): Promise<GroupChange | undefined> {
    const title = `${verbs[action]} ${formatCount(users.length, nouns[kind])}?`
    const ids = users.map(({ id }) => id)
    const edits = editGroupUsers(group, kind, action, users)
    const write = (query: PreviewQuery) => changeGroupUsers(group, kind, action, ids, query, version)
    try {
      return group.roles.length === 0
        ? await updateOptimistically(edits, () => write({}))
        : await preview.change(write, { title, action: verbs[action] }, { edits })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      const latest = await call(getGroup, { params: { id: group.id } })
      return (await compare(describeConflict(group, latest, kind, title)))
        ? send(action, users, latest.version)
        : undefined
    }
  }

  async function change(action: GroupUserAction, users: Pickable[]): Promise<string[]> {
    const changed: string[] = []
    let { version } = group
    try {
      for (const batch of splitIntoBatches(users)) {
        const result = await send(action, batch, version)
        if (!result) break
        version = result.version
        changed.push(...result.changed)
      }
    } finally {
      await refreshGroups()
    }
    return changed
  }

  const dialog = (
    <>
      {preview.dialog}
      <CompareDialog
        isOpen={differences !== undefined}
        recordLabel="this group"
        differences={differences ?? []}
        isBusy={false}
        onSave={(choices) => resolveAnswer.current?.(choices[kind] === 'mine')}
        onClose={() => resolveAnswer.current?.(false)}
      />
    </>
  )
  return { change, dialog }
}

/** Describes the concurrent change beside the pending one. */
function describeConflict(previous: Group, latest: Group, kind: GroupUserKind, mine: string): Difference[] {
  const [before, after] = [previous, latest].map(
    (group) => new Map(group[kind].map(({ id, displayname }) => [id, displayname])),
  )
  const added = [...(after ?? [])].filter(([id]) => !before?.has(id)).map(([, name]) => name)
  const removed = [...(before ?? [])].filter(([id]) => !after?.has(id)).map(([, name]) => name)
  const changes = [
    formatCount(kind === 'members' ? latest.memberCount : latest.ownerCount, nouns[kind]),
    added.length > 0 && `added: ${added.join(', ')}`,
    removed.length > 0 && `removed: ${removed.join(', ')}`,
    latest.name !== previous.name && `renamed to ${latest.name}`,
  ]
  const theirs = `Keep the current state: ${changes.filter(Boolean).join('; ')}`
  return [{ name: kind, label: kind === 'members' ? 'Members' : 'Owners', mine, theirs, choice: 'mine' }]
}
