import { apiClaims, getIdentityApi, type IdentityApi, putIdentityApi } from '@passport/contract/identity-apis'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Check } from '../ui/Check.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { apiLabels, listLifetimes, toBody, toValues } from './api-form.ts'

const toSaved = (api: IdentityApi) => ({ values: toValues(api), version: api.version, record: api })

/** The form of an API's settings; of the built-in one, only the description and the lifetime can change. */
export function ApiForm({ api, onClose }: { api: IdentityApi; onClose: () => void }) {
  const params = { apiId: api.id }
  const record = useRecordForm({
    saved: toSaved(api),
    labels: apiLabels,
    save: (values, options, api) => call(putIdentityApi, { params, body: toBody(api, values) }, options),
    reload: async () => toSaved(await call(getIdentityApi, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: [getIdentityApi.path] })
      reportSuccess('Saved')
      onClose()
    },
  })
  const { register } = record.form
  const codeProps = { className: 'font-mono text-[13px]', autoComplete: 'off', spellCheck: false }
  return (
    <EditCard record={record} recordLabel="this API" title="Edit API" onClose={onClose}>
      {!api.builtIn && (
        <>
          <Field
            label={apiLabels.displayName}
            autoComplete="off"
            error={record.errorOf('displayName')}
            {...register('displayName')}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label={apiLabels.name}
              hint="Also the scope of the API as a whole."
              error={record.errorOf('name')}
              {...codeProps}
              {...register('name')}
            />
            <Field
              label={apiLabels.audience}
              hint="The aud of its access tokens."
              error={record.errorOf('audience')}
              {...codeProps}
              {...register('audience')}
            />
          </div>
        </>
      )}
      <Field
        label={apiLabels.description}
        autoComplete="off"
        hint={`Users read it when they are asked for consent to ${api.name}.`}
        error={record.errorOf('description')}
        {...register('description')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={apiLabels.tokenLifetimeSec}
          options={listLifetimes(api.tokenLifetimeSec)}
          error={record.errorOf('tokenLifetimeSec')}
          {...register('tokenLifetimeSec')}
        />
      </div>
      {!api.builtIn && (
        <fieldset>
          <legend className="font-[560]">{apiLabels.claims}</legend>
          <p className="text-[13px] text-ink2">
            A token has those that the user allowed, with the scope profile or email.
          </p>
          <div className="mt-1 flex flex-wrap gap-x-6">
            {apiClaims.map((claim) => (
              <Check key={claim} value={claim} {...register('claims')}>
                <code className="font-mono text-[13px]">{claim}</code>
              </Check>
            ))}
          </div>
        </fieldset>
      )}
    </EditCard>
  )
}
