// The models that travel with the app in `public/models/`, and what is known of them. Each folder keeps its NOTICE.md.
import { fromBase64 } from '../../domain/base/data-url.ts';
import { CENTRES } from './centres.ts';
import type { Calibration } from './embedding-provider.ts';
import type { EncoderShape } from './encoder/encoder.ts';
import { STATE_CENTRES } from './state-centres.ts';
import type { Centre } from './vector.ts';

export interface ModelFile {
  /** Below the model's folder. */
  readonly path: string;
  readonly bytes: number;
  /**
   * SHA-256 in hexadecimal of the weights that our encoder reads. Without it, a number that
   * changed on the disk would go unnoticed.
   */
  readonly digest?: string;
}

export interface BundledModel {
  /** Folder in `public/models/`, and the value of `embedding.local.model`. */
  readonly id: string;
  readonly dimensions: number;
  readonly languages: readonly string[];
  /** SPDX */
  readonly licence: string;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly pooling: 'mean' | 'cls';
  /** All files that loading may read on the CPU (dtype q8), see `filesFor`. Their sizes make an honest progress bar. */
  readonly files: readonly ModelFile[];
  /** For `encoder/`, which runs the model on the CPU if the browser knows SIMD; otherwise ONNX Runtime does. */
  readonly encoder: EncoderShape;
  /** The weights WebGPU runs instead of q8; null if the model has none. */
  readonly q4: ModelFile | null;
  /**
   * Mean of the model's vectors, subtracted from each (see `centred`): E5's lie in a narrow cone (cosines of 0.75–0.95
   * for anything, 0.05 higher in Chinese than in English). Null if subtracting it gains nothing.
   */
  readonly centre: Centre | null;
  /** The same for the states of single word pieces, each of length 1; see `tokens.ts`. */
  readonly stateCentre: Float32Array | null;
  /**
   * Measured by test/eval/calibration/fit.ts on MemoryBank (MIT) in the model's languages, with the centre taken away.
   */
  readonly calibration: Calibration;
}

/**
 * The bundled q8 models lie in two files, graph and numbers: ONNX Runtime reads the numbers one by one from there. It
 * would first copy a model in one file as a whole, into memory that never shrinks again: 50 MB.
 */
export const ENCODER = 'encoder';
const NUMBERS = `${ENCODER}_quantized.onnx_data`;
/** Gives a thread without a file system the place of the numbers that the graph names. */
export const ENCODER_NUMBERS = { path: NUMBERS, data: `onnx/${NUMBERS}` } as const;

const numbersIn = (text: string): Float32Array => new Float32Array(fromBase64(text).buffer);

function centreOf(model: string): Centre | null {
  const texts = CENTRES[model];
  return texts ? { mean: numbersIn(texts.mean), language: numbersIn(texts.language) } : null;
}

function stateCentreOf(model: string): Float32Array | null {
  const text = STATE_CENTRES[model];
  return text ? numbersIn(text) : null;
}

export const BUNDLED_MODELS: readonly BundledModel[] = [
  {
    id: 'multilingual-e5-small-en-zh',
    dimensions: 384,
    languages: ['en', 'zh'],
    licence: 'MIT',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    pooling: 'mean',
    files: [
      { path: 'config.json', bytes: 448 },
      { path: 'tokenizer.json', bytes: 1_683_871 },
      { path: 'tokenizer_config.json', bytes: 236 },
      { path: 'onnx/encoder_quantized.onnx', bytes: 31_519 },
      {
        path: 'onnx/encoder_quantized.onnx_data',
        bytes: 38_670_144,
        digest: 'e3f07fe954f3686c81fc2f9ebe35f0b10e7a64e1d5e621c0829b66287e0fa947',
      },
    ],
    encoder: { vocabulary: 75_192, layers: 12, words: 'halves' },
    q4: { path: 'onnx/model_q4.onnx', bytes: 32_365_597 },
    centre: centreOf('multilingual-e5-small-en-zh'),
    stateCentre: stateCentreOf('multilingual-e5-small-en-zh'),
    calibration: { related: 0.252, spread: 0.077 },
  },
  {
    id: 'all-MiniLM-L6-v2',
    dimensions: 384,
    languages: ['en'],
    licence: 'Apache-2.0',
    queryPrefix: '',
    passagePrefix: '',
    pooling: 'mean',
    files: [
      { path: 'config.json', bytes: 595 },
      { path: 'tokenizer.json', bytes: 466_081 },
      { path: 'tokenizer_config.json', bytes: 350 },
      { path: 'onnx/encoder_quantized.onnx', bytes: 16_036 },
      {
        path: 'onnx/encoder_quantized.onnx_data',
        bytes: 23_451_624,
        digest: '729c9b828378d30a4b5131d4fc42bdbc33610e8681a8b7fc9a6650ee1d1b88af',
      },
    ],
    encoder: { vocabulary: 30_522, layers: 6, words: 'bytes' },
    q4: null,
    centre: null,
    stateCentre: stateCentreOf('all-MiniLM-L6-v2'),
    calibration: { related: 0.362, spread: 0.1 },
  },
];

/**
 * Finds the bundled model with this id (`embedding.local.model`); undefined for a
 * model that does not travel with the app.
 */
export const bundledModel = (id: string): BundledModel | undefined =>
  BUNDLED_MODELS.find((model) => model.id === id);

/** Lists the files of a bundled model that a CPU reads: our encoder needs no graph, ONNX Runtime does. */
export const filesFor = ({ files }: BundledModel, by: 'encoder' | 'onnx'): readonly ModelFile[] =>
  by === 'onnx' ? files : files.filter(({ path }) => path !== 'config.json' && !path.endsWith('.onnx'));

/** Path of one file of a bundled model, on the app's own origin. */
export const modelPath = (model: string, file: ModelFile): string => `/models/${model}/${file.path}`;

/** Paths of the files of all bundled models, on the app's own origin. */
export const bundledPaths = (): ReadonlySet<string> =>
  new Set(
    BUNDLED_MODELS.flatMap(({ id, files, q4 }) =>
      [...files, ...(q4 ? [q4] : [])].map((file) => modelPath(id, file)),
    ),
  );
