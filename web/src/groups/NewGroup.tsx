import { createGroup } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { toFieldErrors } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { type Area, listLinks } from './area.ts'
import { refreshGroups } from './refresh.ts'

/** A button that creates a group and opens it. */
export function NewGroup({ area }: { area: Area }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus size={16} />
        Create group
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Create group">
        <NewGroupForm area={area} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

const fields = ['name', 'description'] as const
type FieldErrors = Partial<Record<(typeof fields)[number], string>>

function NewGroupForm({ area, onClose }: { area: Area; onClose: () => void }) {
  const [values, setValues] = useState({ name: '', description: '' })
  const [isBusy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [failure, setFailure] = useState<Failure>()
  const navigate = useNavigate()

  async function create() {
    setBusy(true)
    setFailure(undefined)
    try {
      const { id, name } = await call(createGroup, { body: values })
      void refreshGroups()
      reportSuccess(`${name} created`)
      await navigate({ to: `${listLinks[area].to}/$groupId` as never, params: { groupId: id } as never })
    } catch (error) {
      const fieldErrors = toFieldErrors<typeof values>(error, [...fields], {})
      setErrors(Object.fromEntries(fieldErrors.map(({ field, message }) => [field, message])))
      if (fieldErrors.length === 0) setFailure(toFailure(error))
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
          hint={name === 'description' ? 'Optional' : undefined}
          autoComplete="off"
          error={errors[name]}
          value={values[name]}
          onChange={({ target }) => setValues((all) => ({ ...all, [name]: target.value }))}
        />
      ))}
      <p className="text-ink2">You'll be its owner.</p>
      {failure && <ErrorCard failure={failure} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Create group
        </Button>
      </div>
    </form>
  )
}
