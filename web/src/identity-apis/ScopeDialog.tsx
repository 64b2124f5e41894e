import type { ApiScope, IdentityApi } from '@passport/contract/identity-apis'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { reportSuccess } from '../app/messages.ts'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { saveApi } from './api-form.ts'

interface ScopeDialogProps {
  api: IdentityApi
  /** The scope to edit; undefined to add one. */
  scope: ApiScope | undefined
  onClose: () => void
}

const labels = { name: 'Name', description: 'Description', emphasize: 'Highlight' }

/** Adds a scope to an API, or edits one. */
export function ScopeDialog({ api, scope, onClose }: ScopeDialogProps) {
  const record = useRecordForm<ApiScope>({
    saved: { values: scope ?? { name: '', description: '', emphasize: false } },
    labels,
    // Errors name the place of the scope in the list of all scopes.
    fieldByCode: {
      'scope-name-invalid': 'name',
      'scope-taken': 'name',
      'description-invalid': 'description',
      custom: 'name',
    },
    save: (values) =>
      saveApi(api, {
        scopes: scope
          ? api.scopes.map((item) => (item.name === scope.name ? { ...item, ...values } : item))
          : [...api.scopes, values],
      }),
    onSaved: () => {
      reportSuccess(scope ? 'Saved' : 'Scope added')
      onClose()
    },
  })
  const { register } = record.form
  return (
    <Dialog isOpen onClose={onClose} title={scope ? 'Edit scope' : 'Add scope'} className="mt-[10dvh] w-[480px]">
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
          label={labels.name}
          placeholder={`${api.name}.read`}
          className="font-mono text-[13px]"
          autoComplete="off"
          spellCheck={false}
          error={record.errorOf('name')}
          {...register('name')}
        />
        <Field
          label={labels.description}
          placeholder="See your orders"
          autoComplete="off"
          hint="Users read it when they are asked for consent."
          error={record.errorOf('description')}
          {...register('description')}
        />
        <Check {...register('emphasize')}>Highlight it for users</Check>
        {record.failure && <ErrorCard failure={record.failure} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={record.isSaving}>
            {scope ? 'Save' : 'Add scope'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
