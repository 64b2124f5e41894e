import { ApiError } from '@passport/contract/call'
import { type Group, type GroupChange, getGroup } from '@passport/contract/groups'
import { useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { CompareDialog, type Difference } from '../ui/CompareDialog.tsx'
import { counted, nouns, type Part } from './area.ts'
import { batchesOf, type PeopleAction, sendChange } from './people-change.ts'
import { refreshGroups } from './refresh.ts'

const verbs = { add: 'Add', remove: 'Remove' }

/**
 * Adds and removes the people of a group: where that gives or takes roles it asks first, and where somebody else was
 * faster it shows what they did and asks which is to stand. `change` answers with those who were changed. `dialog`
 * belongs somewhere on the page.
 */
export function usePeople(group: Group, part: Part) {
  const preview = usePreview()
  const [differences, setDifferences] = useState<Difference[]>()
  const answer = useRef<(isMine: boolean) => void>(undefined)

  const compare = (differences: Difference[]) =>
    new Promise<boolean>((resolve) => {
      answer.current = resolve
      setDifferences(differences)
    }).finally(() => setDifferences(undefined))

  async function send(action: PeopleAction, people: string[], version: number): Promise<GroupChange | undefined> {
    const title = `${verbs[action]} ${counted(people.length, nouns[part])}?`
    try {
      return group.roles.length === 0
        ? await sendChange(group, part, action, people, {}, version)
        : await preview.change((query) => sendChange(group, part, action, people, query, version), {
            title,
            action: verbs[action],
          })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      const now = await call(getGroup, { params: { id: group.id } })
      return (await compare(differencesOf(group, now, part, title))) ? send(action, people, now.version) : undefined
    }
  }

  async function change(action: PeopleAction, people: string[]): Promise<string[]> {
    const changed: string[] = []
    let { version } = group
    try {
      for (const batch of batchesOf(people)) {
        const done = await send(action, batch, version)
        if (!done) break
        version = done.version
        changed.push(...done.changed)
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
        what="this group"
        differences={differences ?? []}
        isBusy={false}
        onSave={(choices) => answer.current?.(choices[part] === 'mine')}
        onClose={() => answer.current?.(false)}
      />
    </>
  )
  return { change, dialog }
}

/** What was changed meanwhile, beside what is about to be. */
function differencesOf(was: Group, now: Group, part: Part, mine: string): Difference[] {
  const { people, count } =
    part === 'members'
      ? ({ people: 'members', count: 'memberCount' } as const)
      : ({ people: 'owners', count: 'ownerCount' } as const)
  const [before, after] = [was, now].map(
    (group) => new Map(group[people].map(({ id, displayname }) => [id, displayname])),
  )
  const came = [...(after ?? [])].filter(([id]) => !before?.has(id)).map(([, name]) => name)
  const went = [...(before ?? [])].filter(([id]) => !after?.has(id)).map(([, name]) => name)
  const told = [
    counted(now[count], nouns[part]),
    came.length > 0 && `came: ${came.join(', ')}`,
    went.length > 0 && `went: ${went.join(', ')}`,
    now.name !== was.name && `called ${now.name}`,
  ]
  const theirs = `Leave it as it is now: ${told.filter(Boolean).join('; ')}`
  return [{ name: part, label: part === 'members' ? 'Members' : 'Owners', mine, theirs, choice: 'mine' }]
}
