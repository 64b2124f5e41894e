import { type Client, getClient, putClient } from '@passport/contract/clients'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { ApiScopeChecks } from './ApiScopeChecks.tsx'
import { clientLabels, consentOptions, deviceFlowOptions, pkceOptions, toBody, toValues } from './client-form.ts'
import { ScopeChecks } from './ScopeChecks.tsx'

const toSaved = (client: Client) => ({ values: toValues(client), version: client.version, record: client })

const algorithms = [
  { value: 'ES256', label: 'ES256' },
  { value: 'RS256', label: 'RS256, for libraries without elliptic curves' },
] as const

/** The form of an application's settings. */
export function ClientForm({ client, onClose }: { client: Client; onClose: () => void }) {
  const params = { clientId: client.clientId }
  const record = useRecordForm({
    saved: toSaved(client),
    labels: clientLabels,
    save: (values, options, client) => call(putClient, { params, body: toBody(values, client) }, options),
    reload: async () => toSaved(await call(getClient, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: [getClient.path] })
      reportSuccess('Saved')
      onClose()
    },
  })
  const { register, watch } = record.form
  const uriProps = { rows: 3, spellCheck: false, className: 'font-mono text-[13px]' }
  return (
    <EditCard record={record} recordLabel="this application" title="Edit application" onClose={onClose}>
      <Field label="Name" autoComplete="off" error={record.errorOf('clientName')} {...register('clientName')} />
      <TextArea
        label={clientLabels.redirectUris}
        hint="One per line, compared exactly. http only for localhost."
        error={record.errorOf('redirectUris')}
        {...uriProps}
        {...register('redirectUris')}
      />
      <TextArea
        label={clientLabels.postLogoutRedirectUris}
        hint="One per line: where users return after signing out."
        error={record.errorOf('postLogoutRedirectUris')}
        {...uriProps}
        {...register('postLogoutRedirectUris')}
      />
      <Field
        label={clientLabels.backchannelLogoutUri}
        type="url"
        className="font-mono text-[13px]"
        hint="Optional. Notified when a session ends."
        error={record.errorOf('backchannelLogoutUri')}
        {...register('backchannelLogoutUri')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select label="Ask users for consent" options={consentOptions} {...register('consent')} />
        <Select label={clientLabels.deviceFlow} options={deviceFlowOptions} {...register('deviceFlow')} />
        <Select label={clientLabels.idTokenSigningAlg} options={algorithms} {...register('idTokenSigningAlg')} />
        {client.confidential && <Select label={clientLabels.pkce} options={pkceOptions} {...register('pkce')} />}
      </div>
      {client.confidential && (
        <fieldset>
          <legend className="font-[560]">Application scopes</legend>
          <ScopeChecks
            field={register('scopes')}
            chosen={watch('scopes')}
            isService={watch('redirectUris').trim() === '' && watch('deviceFlow') === 'off'}
          />
          <ApiScopeChecks
            value={watch('apis')}
            onChange={(apis) => record.form.setValue('apis', apis, { shouldDirty: true })}
            error={record.errorOf('apis')}
          />
          {record.errorOf('scopes') && (
            <p role="alert" className="mt-1 text-[13px] text-bad">
              {record.errorOf('scopes')}
            </p>
          )}
        </fieldset>
      )}
    </EditCard>
  )
}
