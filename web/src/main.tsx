import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { currentUserQuery } from './app/current-user.ts'
import { reloadOnceForNewBuild } from './app/new-build.ts'
import { queryClient } from './app/query-client.ts'
import { router } from './app/routes.tsx'

reloadOnceForNewBuild()

const root = document.getElementById('root')
if (!root) throw new Error('The document has no place for the app')

// Nothing is shown before it is known who is signed in.
await queryClient.prefetchQuery(currentUserQuery)
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
