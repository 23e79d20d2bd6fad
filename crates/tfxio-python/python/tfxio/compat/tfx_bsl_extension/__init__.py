"""The native module of tfx-bsl 1.21, `tfx_bsl.cc.tfx_bsl_extension`, on tfxio."""
