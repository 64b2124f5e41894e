import { createIdentityApi, type IdentityApi, listIdentityApis } from '@passport/contract/identity-apis'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { apiLabels } from './api-form.ts'

interface CreateApiDialogProps {
  isOpen: boolean
  onClose: () => void
}

/** Creates an API and opens its page. */
export const CreateApiDialog = ({ isOpen, onClose }: CreateApiDialogProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Create API" className="mt-[10dvh] w-[480px]">
    <CreateForm onClose={onClose} />
  </Dialog>
)

const initialValues = { displayName: '', name: '', audience: '' }

function CreateForm({ onClose }: Pick<CreateApiDialogProps, 'onClose'>) {
  const navigate = useNavigate()
  const { displayName, name, audience } = apiLabels
  const record = useRecordForm({
    saved: { values: initialValues },
    labels: { displayName, name, audience },
    save: (body) => call(createIdentityApi, { body }),
    onSaved: (created) => {
      void queryClient.invalidateQueries({ queryKey: [listIdentityApis.path] })
      reportSuccess('API created')
      const { id } = created as IdentityApi
      void navigate({ to: '/admin/identity/apis/$apiId', params: { apiId: id } })
    },
  })
  const { register } = record.form
  return (
    <form
      noValidate
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        record.submit()
      }}
    >
      <DraftOffer draft={record.draft} />
      <Field
        label={displayName}
        placeholder="Orders"
        autoComplete="off"
        error={record.errorOf('displayName')}
        {...register('displayName')}
      />
      <Field
        label={name}
        placeholder="orders"
        className="font-mono text-[13px]"
        autoComplete="off"
        spellCheck={false}
        hint="The scope of the API as a whole, such as orders."
        error={record.errorOf('name')}
        {...register('name')}
      />
      <Field
        label={audience}
        placeholder="https://orders.example.com"
        className="font-mono text-[13px]"
        autoComplete="off"
        spellCheck={false}
        hint="The aud of its access tokens. An identifier, which is never requested."
        error={record.errorOf('audience')}
        {...register('audience')}
      />
      {record.failure && <ErrorCard failure={record.failure} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={record.isSaving}>
          Create API
        </Button>
      </div>
    </form>
  )
}
