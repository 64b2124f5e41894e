import { createGroup } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { faultsOf } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { type Area, listOf } from './area.ts'
import { refreshGroups } from './refresh.ts'

/** A button that makes a group, and opens it. */
export function NewGroup({ area }: { area: Area }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <Plus size={16} />
        New group
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="New group">
        <Form area={area} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

const fields = ['name', 'description'] as const
type Faults = Partial<Record<(typeof fields)[number], string>>

function Form({ area, onClose }: { area: Area; onClose: () => void }) {
  const [texts, setTexts] = useState({ name: '', description: '' })
  const [isBusy, setBusy] = useState(false)
  const [faults, setFaults] = useState<Faults>({})
  const [failure, setFailure] = useState<Failure>()
  const navigate = useNavigate()

  async function create() {
    setBusy(true)
    setFailure(undefined)
    try {
      const { id, name } = await call(createGroup, { body: texts })
      void refreshGroups()
      void toast({ type: 'success', content: `${name} is made` })
      await navigate({ to: `${listOf[area].to}/$groupId` as never, params: { groupId: id } as never })
    } catch (error) {
      const found = faultsOf<typeof texts>(error, [...fields], {})
      setFaults(Object.fromEntries(found.map(({ field, message }) => [field, message])))
      if (found.length === 0) setFailure(failureOf(error))
      setBusy(false)
    }
  }

  return (
    <form
      noValidate
      className="mt-3 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      {fields.map((name) => (
        <Field
          key={name}
          label={name === 'name' ? 'Name' : 'Description'}
          hint={name === 'description' ? 'What it is for; may be left empty.' : undefined}
          autoComplete="off"
          error={faults[name]}
          value={texts[name]}
          onChange={({ target }) => setTexts((all) => ({ ...all, [name]: target.value }))}
        />
      ))}
      <p className="text-ink2">You will be its owner.</p>
      {failure && <ErrorCard failure={failure} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create group
        </Button>
      </div>
    </form>
  )
}
