import { type Group, lookUpUsers } from '@passport/contract/groups'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { AddDialog } from '../directory/AddDialog.tsx'
import { searchUsers } from '../directory/find-records.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { type LineResult, PasteList } from '../ui/PasteList.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { type Area, type GroupUserKind, nouns } from './area.ts'
import { changeGroupUsers } from './change-group-users.ts'
import { refreshGroups } from './refresh.ts'
import type { useGroupUsers } from './use-group-users.tsx'

interface AddGroupUsersProps {
  area: Area
  group: Group
  kind: GroupUserKind
  change: ReturnType<typeof useGroupUsers>['change']
}

const alreadyTexts = { members: 'Already a member', owners: 'Already an owner' }

/** A button with a dialog that finds users by name or in a pasted list, and adds them as members or owners. */
export function AddGroupUsers({ area, group, kind, change }: AddGroupUsersProps) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [isOpen, setOpen] = useState(false)
  const [isPasting, setPasting] = useState(false)

  /** Closes the dialog at once, and opens it again with the picked users if they are not added. */
  async function add() {
    setOpen(false)
    try {
      const added = await change('add', picked)
      if (added.length > 0) {
        setPicked([])
        return reportWithUndo(`${formatCount(added.length, nouns[kind])} added to ${group.name}`, () =>
          changeGroupUsers(group, kind, 'remove', added).finally(refreshGroups),
        )
      }
    } catch (error) {
      reportFailure(`add ${nouns[kind][1]}`, error)
    }
    setOpen(true)
  }

  const title = kind === 'members' ? 'Add members' : 'Add owners'
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus size={16} aria-hidden="true" />
        {title}
      </Button>
      <AddDialog
        isOpen={isOpen}
        title={title}
        noun={[...nouns[kind]]}
        placeholder={area === 'admin' ? 'Name, username or email' : 'Username, or the name of someone you know'}
        description={
          kind === 'owners' ? 'Owners manage the group. Add them as members too if they need its roles.' : undefined
        }
        search={createSearch(group, kind)}
        picked={picked}
        onPick={setPicked}
        onAdd={() => void add()}
        onClose={() => setOpen(false)}
      >
        <Button onClick={() => setPasting(true)}>Paste a list…</Button>
      </AddDialog>
      <PasteList
        isOpen={isPasting}
        title={kind === 'members' ? 'Paste a list of members' : 'Paste a list of owners'}
        inputLabel={area === 'admin' ? 'IDs, usernames or email addresses' : 'Usernames or IDs'}
        check={(lines) => lookUpLines(group, kind, lines)}
        onAdd={(results) =>
          setPicked((all) => [...new Map([...all, ...results].map((user) => [user.id, user])).values()])
        }
        onClose={() => setPasting(false)}
      />
    </>
  )
}

function createSearch(group: Group, kind: GroupUserKind) {
  const existingIds = new Set(group[kind].map(({ id }) => id))
  return async (text: string, signal: AbortSignal): Promise<Pickable[]> => {
    const results = await searchUsers(text, signal)
    return results.map((user) => (existingIds.has(user.id) ? { ...user, disabledReason: alreadyTexts[kind] } : user))
  }
}

async function lookUpLines({ id }: Group, kind: GroupUserKind, lines: string[]): Promise<LineResult[]> {
  const result = await call(lookUpUsers, { params: { groupId: id }, body: { lines } })
  return result.lines.map(({ line, verdict, person }): LineResult => {
    if (!person) return { line, fault: verdict === 'ambiguous' ? 'Matches several users' : 'No match' }
    const isAdded = kind === 'members' ? person.isMember : person.isOwner
    const { id, displayname: name, username } = person
    return {
      line,
      match: { id, name, detail: username ?? undefined, ...(isAdded && { disabledReason: alreadyTexts[kind] }) },
    }
  })
}
