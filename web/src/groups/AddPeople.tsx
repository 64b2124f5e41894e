import { type Group, lookUpPeople } from '@passport/contract/groups'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { searchPeople } from '../directory/find-records.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { PasteList, type Verdict } from '../ui/PasteList.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { type Area, counted, nouns, type Part } from './area.ts'
import { sendChange } from './people-change.ts'
import { refreshGroups } from './refresh.ts'
import type { usePeople } from './use-people.tsx'

interface AddPeopleProps {
  area: Area
  group: Group
  part: Part
  people: ReturnType<typeof usePeople>
}

const already = { members: 'Already a member', owners: 'Already an owner' }

/** Picks people by a few letters or from a pasted list, and adds them all at once. */
export function AddPeople({ area, group, part, people }: AddPeopleProps) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [isPasting, setPasting] = useState(false)
  const [isBusy, setBusy] = useState(false)

  async function add() {
    setBusy(true)
    try {
      const ids = picked.map(({ id }) => id)
      const added = await people.change('add', ids)
      if (added.length > 0)
        void undoToast(
          `${counted(added.length, nouns[part])} added to ${group.name}`,
          () => sendChange(group, part, 'remove', added).finally(refreshGroups),
          (error) => failureOf(error).detail,
        )
      if (added.length > 0) setPicked([])
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
    }
    setBusy(false)
  }

  return (
    <Card
      title={part === 'members' ? 'Add members' : 'Add owners'}
      about={part === 'owners' && 'Owners run the group. They are members only if they are added there too.'}
      action={<Button onClick={() => setPasting(true)}>Paste a list …</Button>}
    >
      <form
        className="flex flex-wrap items-end gap-3 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (picked.length > 0) void add()
        }}
      >
        <div className="min-w-0 flex-1 basis-72">
          <Picker
            label="People"
            placeholder={area === 'admin' ? 'Name, username or e-mail' : 'Username, or the name of someone you know'}
            search={searchIn(group, part)}
            picked={picked}
            onPick={setPicked}
          />
        </div>
        <Button type="submit" look="primary" isBusy={isBusy} disabled={picked.length === 0}>
          {picked.length === 0 ? 'Add' : `Add ${counted(picked.length, nouns[part])}`}
        </Button>
      </form>
      <PasteList
        isOpen={isPasting}
        title={part === 'members' ? 'Paste a list of members' : 'Paste a list of owners'}
        about={area === 'admin' ? 'Ids, usernames or e-mail addresses' : 'Usernames or ids'}
        check={(lines) => checkLines(group, part, lines)}
        onAdd={(found) => setPicked((all) => [...new Map([...all, ...found].map((one) => [one.id, one])).values()])}
        onClose={() => setPasting(false)}
      />
    </Card>
  )
}

function searchIn(group: Group, part: Part) {
  const known = new Set(group[part].map(({ id }) => id))
  return async (text: string, signal: AbortSignal): Promise<Pickable[]> => {
    const found = await searchPeople(text, signal)
    return found.map((person) => (known.has(person.id) ? { ...person, taken: already[part] } : person))
  }
}

async function checkLines({ id }: Group, part: Part, lines: string[]): Promise<Verdict[]> {
  const told = await call(lookUpPeople, { params: { groupId: id }, body: { lines } })
  return told.lines.map(({ line, verdict, person }): Verdict => {
    if (!person) return { line, fault: verdict === 'ambiguous' ? 'Several people have it' : 'Nobody has it' }
    const isIn = part === 'members' ? person.isMember : person.isOwner
    const { id, displayname: name, username } = person
    return { line, is: { id, name, about: username ?? undefined, ...(isIn && { taken: already[part] }) } }
  })
}
