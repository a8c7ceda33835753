"""Malformed steps on sound."""

from tests.malformed.cases import Bad

X, F = ("2x20xf32",), "2x3x6xf32"
STFT = 'pipe.stft %0 n_fft 8 hop 4 window "hann" win_length 8 center 1 pad "reflect"'
ISTFT = 'pipe.istft %0 n_fft 8 hop 4 window "hann" win_length 8 center 1 length 20'
MEL = 'pipe.mel %0 n_mels 3 sample_rate 16 range [0.0, 8.0] like "librosa"'
LOG_MEL = (
    "pipe.log_mel %0 n_fft 8 hop 4 n_mels 3 sample_rate 16 range [0.0, 8.0] length 20"
    ' top_db [80.0] like "librosa"'
)
C = ("2x5x6x2xf32",)
CTC = ("2x9xi64, #pipe.bounded<1>", "2xi64")
FRAME = "pipe.frame %0 size 4 hop 2"
RATES = 'pipe.resample_audio %0 from 3 to 2 like "torchaudio"'

CASES = (
    Bad(
        FRAME, ("9xf64",), ("3x4xf32",), "frame takes a wave (..., time) of float32 or"
    ),
    Bad(FRAME, ("f32",), ("3x4xf32",), "frame takes a wave (..., time)"),
    Bad(FRAME, ("0x9xf32",), ("0x3x4xf32",), "frame takes a wave (..., time)"),
    Bad(FRAME, ("3xf32",), ("0x4xf32",), "3 samples are shorter than one frame of 4"),
    Bad(FRAME.replace("4", "0"), ("9xf32",), ("9x0xf32",), "size must be positive"),
    Bad(FRAME.replace("2", "0"), ("9xf32",), ("9x4xf32",), "hop must be positive"),
    Bad(FRAME, ("9xi16",), ("3x4xi16",), "result 0 must be float32 (3, 4)"),
    Bad('pipe.window %0 kind "flat" periodic 1', X, X, "unknown window 'flat'"),
    Bad('pipe.window %0 kind "hann" periodic 3', X, X, "periodic must be 0 or 1"),
    Bad("pipe.normalize_peak %0 to 0.0 : f64", X, X, "the level must be positive"),
    Bad("pipe.normalize_rms %0 to -1.0 : f64", X, X, "must be positive, got -1.0"),
    Bad(
        "pipe.normalize_rms %0 to 1.0 : f64",
        ("2x20xui8",),
        X,
        "normalize_rms takes a wave (..., time) of float32 or int16, got uint8",
    ),
    Bad(RATES.replace("2", "0"), X, ("2x0xf32",), "to must be positive, got 0"),
    Bad(RATES.replace("3", "-3"), X, ("2x0xf32",), "from must be positive, got -3"),
    Bad(RATES.replace('audio"', '"'), X, ("2x14xf32",), "unknown reference 'torch'"),
    Bad(RATES, X, ("2x13xf32",), "result 0 must be float32 (2, 14)"),
    Bad("pipe.ctc_greedy %0 blank 5", ("2x9x5xf32",), CTC, "blank 5 is none of the 5"),
    Bad("pipe.ctc_greedy %0 blank 0", ("9x5xf32",), CTC, "(batch, time, classes), got"),
    Bad("pipe.ctc_greedy %0 blank 0", ("2x9x5xi32",), CTC, "floating-point scores"),
    Bad(
        "pipe.ctc_greedy %0 blank 0",
        ("2x9x5xf32",),
        ("2x9xi64", "2xi64"),
        "result 0 must",
    ),
    Bad(STFT, ("4xf32",), ("5x2x2xf32",), "4 samples are too few to be mirrored by 4"),
    Bad(
        STFT.replace("center 1", "center 0"),
        ("7xf32",),
        ("5x1x2xf32",),
        "7 samples are shorter than one frame of 8 samples",
    ),
    Bad(STFT.replace("win_length 8", "win_length 9"), X, C, "9 samples is longer than"),
    Bad(
        STFT.replace("reflect", "wrap"), X, C, "unknown pad_mode 'wrap'; one of reflect"
    ),
    Bad(STFT.replace("hann", "kaiser"), X, C, "unknown window 'kaiser'"),
    Bad(STFT.replace("center 1", "center 2"), X, C, "center must be 0 or 1, got 2"),
    Bad(STFT.replace("n_fft 8", "n_fft 0"), X, C, "n_fft must be positive, got 0"),
    Bad(ISTFT, ("2x5x6xf32",), X, "istft with n_fft 8 takes 5 bins of 2 numbers"),
    Bad(ISTFT, ("5x2xf32",), X, "istft takes float32 (..., bins, frames, 2)"),
    Bad(ISTFT.replace("20", "25"), C, X, "6 frames give 24 samples, not 25"),
    Bad(ISTFT.replace("center 1", "center 0"), C, X, "the windows leave samples out"),
    Bad(
        ISTFT.replace("hop 4", "hop 9"),
        C,
        X,
        "the windows leave samples out: hann of 8",
    ),
    Bad("pipe.magnitude %0", ("5x3xf32",), ("5xf32",), "takes a last axis of 2"),
    Bad("pipe.power %0", ("5x2xf64",), ("5xf64",), "power takes float32 (..., 2)"),
    Bad(MEL, ("9xf32",), ("3x6xf32",), "mel takes float32 (..., bins, frames)"),
    Bad(
        MEL.replace("librosa", "kaldi"), ("9x6xf32",), ("3x6xf32",), "unknown reference"
    ),
    Bad(MEL.replace("8.0", "9.0"), ("9x6xf32",), ("3x6xf32",), "highest frequency 9.0"),
    Bad(MEL.replace("n_mels 3", "n_mels 0"), ("9x6xf32",), ("0x6xf32",), "be positive"),
    Bad(LOG_MEL, ("1x2x20xf32",), (F,), "log_mel takes (time) or (batch, time), got"),
    Bad(LOG_MEL.replace("n_fft 8", "n_fft 7"), X, (F,), "takes an even n_fft, got 7"),
    Bad(
        LOG_MEL.replace("[80.0]", "[1.0, 2.0]"), X, (F,), "one positive number or none"
    ),
    Bad(LOG_MEL.replace("[80.0]", "[-1.0]"), X, (F,), "one positive number or none"),
    Bad(LOG_MEL.replace("librosa", "whisper"), X, (F,), "and none for whisper"),
    Bad(LOG_MEL.replace("length 20", "length 19"), X, (F,), "20 samples, not 19"),
    Bad(LOG_MEL.replace("librosa", "kaldi"), X, (F,), "unknown reference 'kaldi'"),
    Bad(
        LOG_MEL.replace("length 20", "length 4").replace("librosa", "torchaudio"),
        ("4xf32",),
        (F,),
        "4 samples are too few to be mirrored by 4",
    ),
    Bad("pipe.mfcc %0 4", ("3x6xf32",), ("4x6xf32",), "4 coefficients of 3 values"),
    Bad("pipe.mfcc %0 2", ("3xf32",), ("2xf32",), "mfcc takes float32 (..., n_mels"),
)
