import { type Client, createClient } from '@passport/contract/clients'
import type { ClientScope } from '@passport/contract/endpoint'
import { AppWindow, Bot, Server } from 'lucide-react'
import { type Control, useWatch } from 'react-hook-form'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { ChoiceCard } from '../ui/ChoiceCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { ApiScopeChecks } from './ApiScopeChecks.tsx'
import { clientLabels, consentOptions, splitLines } from './client-form.ts'
import { keepNewSecret } from './new-secret.ts'
import { ScopeChecks } from './ScopeChecks.tsx'

/** The application types, by where their code runs (OAuth 2.1, section 2.1). */
const applicationTypes = [
  { value: 'server', icon: Server, label: 'Web app with a server', hint: 'Signs users in. Has a client secret.' },
  {
    value: 'public',
    icon: AppWindow,
    label: 'Browser or native app',
    hint: 'Signs users in with PKCE. Has no client secret.',
  },
  { value: 'service', icon: Bot, label: 'Service', hint: 'Calls the API on its own behalf.' },
] as const
type ApplicationType = (typeof applicationTypes)[number]['value']

interface Values {
  type: ApplicationType
  clientName: string
  redirectUris: string
  consent: 'skip' | 'once' | 'always'
  scopes: ClientScope[]
  apis: Client['apis']
}

const initialValues: Values = {
  type: 'server',
  clientName: '',
  redirectUris: '',
  consent: 'once',
  scopes: [],
  apis: [],
}

const toBody = ({ type, clientName, redirectUris, consent, scopes, apis }: Values) => ({
  clientName,
  confidential: type !== 'public',
  consent,
  redirectUris: type === 'service' ? [] : splitLines(redirectUris),
  scopes: type === 'service' ? scopes : [],
  apis: type === 'service' ? apis : [],
})

/** What the page of the new application has. */
function Rail({ control }: { control: Control<Values> }) {
  const type = useWatch({ control, name: 'type' })
  const steps: [string, string][] = [
    [
      'You get a client ID',
      type === 'public' ? 'An app like this has no secret.' : 'And a secret, which is shown once.',
    ],
    ['You paste the quick start', 'It is filled in for this application.'],
  ]
  return (
    <WhatFollows steps={type === 'service' ? steps : [...steps, ['You test the sign-in', 'With your own account.']]} />
  )
}

/** Creates an application. Its page then shows the client secret once. */
export function CreateApplicationPage() {
  return (
    <CreatePage<Values, Awaited<ReturnType<typeof create>>>
      kind="application"
      list={{ to: '/admin/identity/clients', label: 'Applications' }}
      initialValues={initialValues}
      rail={(control) => <Rail control={control} />}
      labels={{ type: 'Application type', ...clientLabels }}
      create={create}
      pageOf={({ client: { clientId } }) => ({ to: '/admin/identity/clients/$clientId', params: { clientId } })}
    >
      {({ form: { register, watch, setValue }, errorOf }) => {
        const type = watch('type')
        return (
          <>
            <section className="grid gap-4 px-4 py-[18px] sm:px-[18px]">
              <Field
                label="Name"
                placeholder="Box office"
                autoComplete="off"
                error={errorOf('clientName')}
                {...register('clientName')}
              />
              <fieldset>
                <legend className="font-[560]">Application type</legend>
                <div className="mt-1.5 grid gap-2 sm:grid-cols-3">
                  {applicationTypes.map((type) => (
                    <ChoiceCard key={type.value} {...type} {...register('type')} />
                  ))}
                </div>
              </fieldset>
            </section>
            {type === 'service' ? (
              <Card title="Access" description="The application's token is limited to these scopes.">
                <div className="grid gap-1 px-4 pb-[18px] sm:px-[18px]">
                  <ScopeChecks field={register('scopes')} chosen={watch('scopes')} isService />
                  <ApiScopeChecks
                    value={watch('apis')}
                    onChange={(apis) => setValue('apis', apis, { shouldDirty: true })}
                    error={errorOf('apis')}
                  />
                  {errorOf('redirectUris') && (
                    <p role="alert" className="text-[13px] text-bad">
                      Choose at least one scope.
                    </p>
                  )}
                </div>
              </Card>
            ) : (
              <Card title="Sign-in">
                <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
                  <TextArea
                    label="Redirect URIs"
                    rows={3}
                    spellCheck={false}
                    className="font-mono text-[13px]"
                    placeholder="https://app.example/callback"
                    hint="One per line. Must match exactly. http is allowed for localhost only."
                    error={errorOf('redirectUris')}
                    {...register('redirectUris')}
                  />
                  <Select
                    label="Ask users for consent"
                    options={consentOptions}
                    error={errorOf('consent')}
                    {...register('consent')}
                  />
                </div>
              </Card>
            )}
          </>
        )
      }}
    </CreatePage>
  )
}

async function create(values: Values) {
  const created = await call(createClient, { body: toBody(values) as never })
  if (created.secret) keepNewSecret(created.client.clientId, created.secret)
  return created
}
