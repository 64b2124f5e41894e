import {
  Box3,
  DirectionalLight,
  Group,
  HemisphereLight,
  LoadingManager,
  Mesh,
  NeutralToneMapping,
  type Object3D,
  OrthographicCamera,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { centreZoomed, frameModel, framePortrait, type ModelBounds } from './frame-model.ts'

/** The browser has no WebGL, or its contexts are all in use. */
export class NoWebGl extends Error {}

/** A model on a turntable; nothing is drawn between the calls. */
export interface Turntable {
  /** Draws the model turned to the right by an angle in degrees; a zoom of 1 shows all of it. */
  draw: (degrees: number, zoom: number) => void
  /** Frees the memory of the graphics card. */
  dispose: () => void
}

/** Loads a GLB file for a canvas of any size. Throws `NoWebGl`, or the loader's error for a file that it cannot read. */
export async function openTurntable(canvas: HTMLCanvasElement, glb: ArrayBuffer): Promise<Turntable> {
  const renderer = createRenderer(canvas)
  try {
    const { scene, model, bounds } = await loadScene(glb)
    return {
      draw: (degrees, zoom) => {
        const { clientWidth, clientHeight } = canvas
        renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
        renderer.setSize(clientWidth, clientHeight, false)
        model.rotation.y = (degrees * Math.PI) / 180
        renderer.render(scene, lookFrom(bounds, clientWidth / Math.max(clientHeight, 1), zoom))
      },
      dispose: () => dispose(renderer, scene),
    }
  } catch (error) {
    renderer.dispose()
    throw error
  }
}

const posterSide = 512

/** Renders the picture of a GLB file from the front, as a transparent PNG of 512 × 512 pixels. Throws like `openTurntable`. */
export async function renderPoster(glb: ArrayBuffer): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const renderer = createRenderer(canvas)
  try {
    const { scene, bounds } = await loadScene(glb)
    renderer.setSize(posterSide, posterSide, false)
    renderer.render(scene, lookStraight(bounds))
    // Read in the same task, before the browser clears the canvas.
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    dispose(renderer, scene)
    if (!blob) throw new Error('The browser could not encode the picture')
    return blob
  } catch (error) {
    renderer.dispose()
    throw error
  }
}

function createRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  // Requested here, because the renderer reports a missing context as an error in the console.
  const context = canvas.getContext('webgl2', { alpha: true, antialias: true })
  if (!context) throw new NoWebGl('WebGL is not available')
  const renderer = new WebGLRenderer({ canvas, context, alpha: true, antialias: true })
  renderer.toneMapping = NeutralToneMapping
  return renderer
}

async function loadScene(glb: ArrayBuffer) {
  const loader = new GLTFLoader(new LoadingManager().setURLModifier(requireEmbedded))
  const { scene: figure } = await loader.parseAsync(glb, '')
  const bounds = measure(figure)
  // Turns around the middle of the model, wherever its author placed it.
  figure.position.x -= (bounds.min.x + bounds.max.x) / 2
  figure.position.z -= (bounds.min.z + bounds.max.z) / 2
  const model = new Group().add(figure)
  const scene = new Scene().add(model)
  scene.add(new HemisphereLight(0xffffff, 0xb9a98c, 1.6))
  const key = new DirectionalLight(0xffffff, 2)
  key.position.set(1, 2, 2)
  scene.add(key)
  return { scene, model, bounds }
}

/** Models that refer to other files are invalid here: a preview must not request what an uploader chose. */
function requireEmbedded(url: string): string {
  if (!url.startsWith('blob:')) throw new Error('The model refers to another file')
  return url
}

function measure(figure: Object3D): ModelBounds {
  figure.updateMatrixWorld(true)
  const { min, max } = new Box3().setFromObject(figure)
  let head: Object3D | undefined
  figure.traverse((part) => {
    if (/(^|[:_])head$/i.test(part.name)) head ??= part
  })
  if (max.y < min.y) return { min: new Vector3(), max: new Vector3() }
  return { min, max, ...(head && { headY: head.getWorldPosition(new Vector3()).y }) }
}

const fieldOfView = 28

/** Returns a camera in front of the model that shows all of it on the ring, or a part of it. */
function lookFrom(bounds: ModelBounds, aspect: number, zoom: number): PerspectiveCamera {
  const { height } = frameModel(bounds, aspect)
  const { min, max } = bounds
  const radius = Math.hypot(max.x - min.x, max.z - min.z) / 2
  const distance = height / 2 / Math.tan((fieldOfView * Math.PI) / 360) + radius
  const camera = new PerspectiveCamera(fieldOfView, aspect, distance / 100, distance * 3)
  camera.position.set(0, centreZoomed(bounds, aspect, zoom), distance)
  camera.zoom = zoom
  camera.updateProjectionMatrix()
  return camera
}

/** Returns a camera without perspective for the portrait. */
function lookStraight(bounds: ModelBounds): OrthographicCamera {
  const { centreY, height } = framePortrait(bounds)
  const half = height / 2
  const depth = Math.max(bounds.max.z - bounds.min.z, height)
  const camera = new OrthographicCamera(-half, half, half, -half, 0, 4 * depth)
  camera.position.set(0, centreY, 2 * depth)
  return camera
}

function dispose(renderer: WebGLRenderer, scene: Scene): void {
  scene.traverse((part) => {
    if (!(part instanceof Mesh)) return
    part.geometry.dispose()
    for (const material of [part.material].flat()) {
      for (const value of Object.values(material)) {
        const texture = value as { isTexture?: boolean; dispose?: () => void } | null
        if (texture?.isTexture) texture.dispose?.()
      }
      material.dispose()
    }
  })
  renderer.dispose()
  // Browsers keep only a few contexts at a time.
  renderer.forceContextLoss()
}
