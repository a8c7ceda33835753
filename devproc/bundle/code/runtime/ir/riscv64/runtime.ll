%struct.bundle_program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.golden_bound = type { double, double }
%struct.bundle_code = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32 }
%struct.bundle_slot = type { i32, i32, i32, i32, i64, i64 }
%struct.bundle_text = type { ptr, i64, i64 }
%struct.bundle_tensor = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, [2 x i64], i64 }
%struct.bundle_report = type { i32, i32, ptr, ptr, i64, double, double, double }
%struct.bundle_level = type { ptr, ptr, ptr, i32, i32 }
%struct.bundle_step = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i64 }
%struct.golden_run = type { ptr, ptr, ptr, ptr, i64, i64, i32 }
%struct.kernel_walk = type { ptr, ptr, ptr, i32 }

@texts = internal unnamed_addr constant [18 x ptr] [ptr @.str.5, ptr @.str.6, ptr @.str.7, ptr @.str.8, ptr @.str.9, ptr @.str.10, ptr @.str.11, ptr @.str.12, ptr @.str.13, ptr @.str.14, ptr @.str.15, ptr @.str.16, ptr @.str.17, ptr @.str.18, ptr @.str.19, ptr @.str.20, ptr @.str.21, ptr @.str.22], align 8
@.str = private unnamed_addr constant [13 x i8] c"not a status\00", align 1
@bundle_tables = external constant %struct.bundle_program, align 8
@.str.1 = private unnamed_addr constant [111 x i8] c"the system has not got so many, or another instance of this bundle uses another number or another parallel_for\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"bytes\00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"inputs or outputs\00", align 1
@.str.5 = private unnamed_addr constant [9 x i8] c"no error\00", align 1
@.str.6 = private unnamed_addr constant [18 x i8] c"a pointer is NULL\00", align 1
@.str.7 = private unnamed_addr constant [133 x i8] c"a struct has another size than the library's; initialise it with the macro of the header that was written together with this library\00", align 1
@.str.8 = private unnamed_addr constant [102 x i8] c"the header has another ABI version than the library; use the header that was written together with it\00", align 1
@.str.9 = private unnamed_addr constant [99 x i8] c"the header describes another interface; use the header that was written together with this library\00", align 1
@.str.10 = private unnamed_addr constant [90 x i8] c"this CPU lacks an instruction set that the code needs; export the bundle for a lesser one\00", align 1
@.str.11 = private unnamed_addr constant [152 x i8] c"the weights are not those of this program; give the whole content of the .weights file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.12 = private unnamed_addr constant [51 x i8] c"the given memory is smaller than the program needs\00", align 1
@.str.13 = private unnamed_addr constant [25 x i8] c"a pointer is not aligned\00", align 1
@.str.14 = private unnamed_addr constant [30 x i8] c"the system has no memory left\00", align 1
@.str.15 = private unnamed_addr constant [40 x i8] c"the threads asked for are not to be had\00", align 1
@.str.16 = private unnamed_addr constant [80 x i8] c"the instance is in use by another call; give each thread an instance of its own\00", align 1
@.str.17 = private unnamed_addr constant [46 x i8] c"an output overlaps an input or another output\00", align 1
@.str.18 = private unnamed_addr constant [23 x i8] c"there is no such state\00", align 1
@.str.19 = private unnamed_addr constant [156 x i8] c"the golden cases are not those of this program; give the whole content of the .golden file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.20 = private unnamed_addr constant [56 x i8] c"a value is further from its golden value than the bound\00", align 1
@.str.21 = private unnamed_addr constant [67 x i8] c"the handle is not that of an instance: destroyed, or never created\00", align 1
@.str.22 = private unnamed_addr constant [38 x i8] c"the GPU cannot be used, or has failed\00", align 1
@.str.23 = private unnamed_addr constant [7 x i8] c"memory\00", align 1
@.str.24 = private unnamed_addr constant [44 x i8] c"memory is NULL, and this system has no heap\00", align 1
@.str.25 = private unnamed_addr constant [62 x i8] c"parallel_for is given, but the bundle was not exported for it\00", align 1
@.str.26 = private unnamed_addr constant [38 x i8] c"more than the bundle was exported for\00", align 1
@.str.27 = private unnamed_addr constant [62 x i8] c"there is no code for a processor of the name that `cpu` gives\00", align 1
@.str.28 = private unnamed_addr constant [8 x i8] c"weights\00", align 1
@.str.29 = private unnamed_addr constant [40 x i8] c"weights are NULL, and none are embedded\00", align 1
@.str.30 = private unnamed_addr constant [26 x i8] c"their hash is another one\00", align 1
@are_our_weights.magic = internal constant [9 x i8] c"DPWEIGHT\00", align 1
@.str.31 = private unnamed_addr constant [3 x i8] c": \00", align 1
@.str.32 = private unnamed_addr constant [16 x i8] c" expected, got \00", align 1
@.str.33 = private unnamed_addr constant [3 x i8] c" '\00", align 1
@.str.34 = private unnamed_addr constant [2 x i8] c"'\00", align 1
@.str.35 = private unnamed_addr constant [6 x i8] c"input\00", align 1
@.str.36 = private unnamed_addr constant [7 x i8] c"output\00", align 1
@.str.37 = private unnamed_addr constant [20 x i8] c"number out of range\00", align 1
@.str.38 = private unnamed_addr constant [35 x i8] c"another size in bytes than that of\00", align 1
@.str.39 = private unnamed_addr constant [20 x i8] c"values of the state\00", align 1
@.str.40 = private unnamed_addr constant [11 x i8] c"the report\00", align 1
@.str.41 = private unnamed_addr constant [24 x i8] c"memory of the self-test\00", align 1
@.str.42 = private unnamed_addr constant [33 x i8] c"for the outputs of the self-test\00", align 1
@.str.43 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.44 = private unnamed_addr constant [33 x i8] c"NULL, or not aligned to 64 bytes\00", align 1
@.str.45 = private unnamed_addr constant [35 x i8] c"truncated, or longer than they are\00", align 1
@section_problem.magic = internal constant [9 x i8] c"DPGOLDEN\00", align 1
@.str.46 = private unnamed_addr constant [44 x i8] c"no file of golden cases, or a truncated one\00", align 1
@.str.47 = private unnamed_addr constant [25 x i8] c"those of another program\00", align 1
@.str.48 = private unnamed_addr constant [8 x i8] c"damaged\00", align 1
@.str.49 = private unnamed_addr constant [10 x i8] c"truncated\00", align 1
@item_size.sizes = internal unnamed_addr constant [11 x i8] c"\01\01\01\02\02\04\08\02\02\04\08", align 1
@.str.50 = private unnamed_addr constant [31 x i8] c"they have no values of kernels\00", align 1
@.str.51 = private unnamed_addr constant [48 x i8] c"they have no values of the kernels for this cpu\00", align 1
@kernel_bounds = internal constant [2 x %struct.golden_bound] [%struct.golden_bound zeroinitializer, %struct.golden_bound { double 1.000000e-03, double 1.000000e-30 }], align 8
@.str.52 = private unnamed_addr constant [10 x i8] c": entry '\00", align 1
@.str.53 = private unnamed_addr constant [8 x i8] c": case \00", align 1
@.str.54 = private unnamed_addr constant [3 x i8] c", \00", align 1
@.str.55 = private unnamed_addr constant [12 x i8] c"', element \00", align 1

define ptr @bundle_api_error_text(i32 noundef signext %0) local_unnamed_addr #0 {
  %2 = icmp ult i32 %0, 18
  br i1 %2, label %3, label %7

3:
  %4 = zext nneg i32 %0 to i64
  %5 = getelementptr inbounds nuw ptr, ptr @texts, i64 %4
  %6 = load ptr, ptr %5, align 8
  br label %7

7:
  %8 = phi ptr [ %6, %3 ], [ @.str, %1 ]
  ret ptr %8
}

define signext i32 @bundle_api_create(ptr noundef readonly captures(address_is_null) %0, ptr noundef writeonly captures(address_is_null) %1) local_unnamed_addr #1 {
  %3 = alloca ptr, align 8
  %4 = icmp eq ptr %1, null
  br i1 %4, label %113, label %5

5:
  store ptr null, ptr %1, align 8
  %6 = icmp eq ptr %0, null
  br i1 %6, label %113, label %7

7:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %8 = call fastcc signext i32 @check_options(ptr noundef %0, ptr noundef %3) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %111

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %12 = load i32, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %16 = load ptr, ptr %15, align 8
  %17 = tail call signext i32 @bundle_open_threads(i32 noundef signext %12, ptr noundef %14, ptr noundef %16) #17
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %19, label %21

19:
  %20 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.1, i64 noundef 0, i64 noundef 0) #16
  br label %111

21:
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %35

25:
  %26 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %27 = tail call ptr @bundle_allocate(i64 noundef %26) #17
  %28 = icmp eq ptr %27, null
  br i1 %28, label %33, label %29

29:
  %30 = load ptr, ptr %22, align 8
  %31 = icmp eq ptr %30, null
  %32 = zext i1 %31 to i32
  br label %35

33:
  tail call void @bundle_close_threads() #17
  %34 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 9, ptr noundef nonnull @.str.2, i64 noundef 0, i64 noundef %26) #16
  br label %111

35:
  %36 = phi i32 [ %32, %29 ], [ 0, %21 ]
  %37 = phi ptr [ %27, %29 ], [ %23, %21 ]
  %38 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 80), align 8
  %39 = getelementptr inbounds nuw i8, ptr %37, i64 %38
  %40 = load ptr, ptr %3, align 8
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 16
  %42 = load ptr, ptr %41, align 8
  %43 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 100), align 4
  %44 = add i32 %43, -1
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds nuw %struct.bundle_code, ptr %42, i64 %45
  %47 = tail call fastcc ptr @all_operands(ptr noundef nonnull %39) #16
  %48 = getelementptr inbounds nuw i8, ptr %46, i64 36
  %49 = load i32, ptr %48, align 4
  %50 = zext i32 %49 to i64
  %51 = getelementptr inbounds nuw ptr, ptr %47, i64 %50
  %52 = getelementptr inbounds nuw i8, ptr %46, i64 28
  %53 = load i32, ptr %52, align 4
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds nuw ptr, ptr %51, i64 %54
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %57 = load ptr, ptr %56, align 8
  %58 = icmp eq ptr %57, null
  %59 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %60 = select i1 %58, ptr %59, ptr %57
  store i64 7810489104209049188, ptr %39, align 8
  %61 = getelementptr inbounds nuw i8, ptr %39, i64 8
  store ptr %60, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %39, i64 16
  store ptr %37, ptr %62, align 8
  %63 = getelementptr inbounds nuw i8, ptr %39, i64 24
  store ptr %40, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %39, i64 32
  store ptr %55, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %39, i64 40
  store ptr null, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %39, i64 48
  store i32 0, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %39, i64 52
  store i32 %36, ptr %67, align 4
  %68 = getelementptr inbounds nuw i8, ptr %39, i64 56
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(320) %68, i8 0, i64 320, i1 false)
  %69 = tail call fastcc signext i32 @open_gpu(ptr noundef %39, ptr noundef %0) #16
  %70 = icmp eq i32 %69, 0
  %71 = icmp ne i32 %43, 0
  %72 = and i1 %70, %71
  br i1 %72, label %73, label %75

73:
  %74 = zext i32 %43 to i64
  br label %76

75:
  br i1 %70, label %105, label %108

76:
  %77 = phi i64 [ 0, %73 ], [ %88, %87 ]
  %78 = load ptr, ptr %3, align 8
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 16
  %80 = load ptr, ptr %79, align 8
  %81 = getelementptr inbounds nuw %struct.bundle_code, ptr %80, i64 %77
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 28
  %83 = load i32, ptr %82, align 4
  %84 = icmp eq i32 %83, 0
  br i1 %84, label %87, label %85

85:
  %86 = getelementptr inbounds nuw i8, ptr %81, i64 8
  br label %90

87:
  %88 = add nuw nsw i64 %77, 1
  %89 = icmp samesign ult i64 %88, %74
  br i1 %89, label %76, label %75

90:
  %91 = phi i64 [ 0, %85 ], [ %101, %90 ]
  %92 = load ptr, ptr %86, align 8
  %93 = getelementptr inbounds nuw %struct.bundle_slot, ptr %92, i64 %91
  %94 = load i32, ptr %93, align 8
  %95 = tail call fastcc ptr @base_of(ptr noundef %39, i32 noundef signext %94) #16
  %96 = getelementptr inbounds nuw i8, ptr %93, i64 16
  %97 = load i64, ptr %96, align 8
  %98 = getelementptr inbounds nuw i8, ptr %95, i64 %97
  %99 = tail call fastcc ptr @operands_of(ptr noundef nonnull %39, ptr noundef nonnull %81) #16
  %100 = getelementptr inbounds nuw ptr, ptr %99, i64 %91
  store ptr %98, ptr %100, align 8
  %101 = add nuw nsw i64 %91, 1
  %102 = load i32, ptr %82, align 4
  %103 = zext i32 %102 to i64
  %104 = icmp samesign ult i64 %101, %103
  br i1 %104, label %90, label %87

105:
  %106 = tail call fastcc signext i32 @reset(ptr noundef nonnull %39) #16
  %107 = icmp eq i32 %106, 0
  br i1 %107, label %110, label %108

108:
  %109 = phi i32 [ %106, %105 ], [ %69, %75 ]
  tail call fastcc void @release(ptr noundef %39) #16
  br label %111

110:
  store ptr %39, ptr %1, align 8
  br label %111

111:
  %112 = phi i32 [ 10, %19 ], [ %8, %7 ], [ 9, %33 ], [ 0, %110 ], [ %109, %108 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %113

113:
  %114 = phi i32 [ %112, %111 ], [ 1, %2 ], [ 1, %5 ]
  ret i32 %114
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

define internal fastcc signext range(i32 0, 11) i32 @check_options(ptr noundef nonnull readonly captures(none) %0, ptr noundef nonnull writeonly captures(none) %1) unnamed_addr #1 {
  %3 = alloca ptr, align 8
  %4 = load i32, ptr %0, align 8
  %5 = icmp eq i32 %4, 96
  br i1 %5, label %6, label %72

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %8 = load i32, ptr %7, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %13, label %10

10:
  %11 = zext i32 %8 to i64
  %12 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 3, ptr noundef null, i64 noundef %11, i64 noundef 1) #16
  br label %72

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 56), align 8
  %17 = icmp eq i64 %15, %16
  br i1 %17, label %20, label %18

18:
  %19 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 4, ptr noundef null, i64 noundef 0, i64 noundef 0) #16
  br label %72

20:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %22 = load ptr, ptr %21, align 8
  %23 = call fastcc ptr @find_level(ptr noundef %22, ptr noundef %3) #16
  store ptr %23, ptr %1, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %25, label %28

25:
  %26 = load ptr, ptr %3, align 8
  %27 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 5, ptr noundef %26, i64 noundef 0, i64 noundef 0) #16
  br label %70

28:
  %29 = tail call fastcc signext i32 @check_weights(ptr noundef %0) #16
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %70

31:
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %47, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %37 = load i64, ptr %36, align 8
  %38 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %39 = icmp ult i64 %37, %38
  br i1 %39, label %40, label %42

40:
  %41 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 7, ptr noundef nonnull @.str.2, i64 noundef %37, i64 noundef %38) #16
  br label %70

42:
  %43 = tail call fastcc signext i32 @is_aligned(ptr noundef %33, i64 noundef 64) #16
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %45, label %53

45:
  %46 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.23, i64 noundef 0, i64 noundef 0) #16
  br label %70

47:
  %48 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %49 = icmp eq i32 %48, 0
  br i1 %49, label %50, label %53

50:
  %51 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %52 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 7, ptr noundef nonnull @.str.24, i64 noundef 0, i64 noundef %51) #16
  br label %70

53:
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, null
  %57 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %58 = icmp eq i32 %57, 2
  %59 = select i1 %56, i1 true, i1 %58
  br i1 %59, label %62, label %60

60:
  %61 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.25, i64 noundef 0, i64 noundef 0) #16
  br label %70

62:
  %63 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %64 = load i32, ptr %63, align 8
  %65 = icmp eq i32 %57, 0
  %66 = select i1 %65, i32 1, i32 1024
  %67 = icmp ugt i32 %64, %66
  br i1 %67, label %68, label %70

68:
  %69 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.26, i64 noundef 0, i64 noundef 0) #16
  br label %70

70:
  %71 = phi i32 [ 5, %25 ], [ 7, %50 ], [ 7, %40 ], [ 10, %60 ], [ 10, %68 ], [ %29, %28 ], [ 8, %45 ], [ 0, %62 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %72

72:
  %73 = phi i32 [ %71, %70 ], [ 3, %10 ], [ 4, %18 ], [ 2, %2 ]
  ret i32 %73
}

declare signext i32 @bundle_open_threads(i32 noundef signext, ptr noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc noundef signext range(i32 3, 11) i32 @refuse(ptr noundef nonnull readonly captures(none) %0, i32 noundef returned signext range(i32 3, 11) %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) unnamed_addr #1 {
  %6 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #15
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %10 = load i64, ptr %9, align 8
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %6, ptr noundef %8, i64 noundef %10, i32 noundef signext %1) #16
  %11 = icmp eq ptr %2, null
  br i1 %11, label %13, label %12

12:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.31) #17
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull %2) #17
  br label %13

13:
  %14 = icmp eq i64 %4, 0
  br i1 %14, label %16, label %15

15:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.31) #17
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %4) #17
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.32) #17
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %3) #17
  br label %16

16:
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #15
  ret i32 %1
}

declare ptr @bundle_allocate(i64 noundef) local_unnamed_addr #3

declare void @bundle_close_threads() local_unnamed_addr #3

define internal fastcc nonnull ptr @all_operands(ptr noundef readnone captures(ret: address, provenance) %0) unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 384
  ret ptr %2
}

define internal fastcc signext range(i32 0, 18) i32 @open_gpu(ptr noundef nonnull captures(none) %0, ptr noundef nonnull readonly captures(none) %1) unnamed_addr #1 {
  %3 = alloca %struct.bundle_text, align 8
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 48), align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %29, label %6

6:
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %10 = load i64, ptr %9, align 8
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %3, ptr noundef %8, i64 noundef %10, i32 noundef signext 17) #16
  call void @bundle_add(ptr noundef nonnull %3, ptr noundef nonnull @.str.31) #17
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8
  %13 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  %14 = getelementptr inbounds nuw i8, ptr %12, i64 %13
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %16 = load ptr, ptr %15, align 8
  %17 = call signext i32 @bundle_gpu_open(ptr noundef %14, ptr noundef nonnull %4, ptr noundef %16, ptr noundef nonnull %3) #17
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %27, label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %25, label %23

23:
  %24 = load ptr, ptr %3, align 8
  store i8 0, ptr %24, align 1
  br label %25

25:
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store ptr %14, ptr %26, align 8
  br label %27

27:
  %28 = phi i32 [ 0, %25 ], [ 17, %6 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  br label %29

29:
  %30 = phi i32 [ %28, %27 ], [ 0, %2 ]
  ret i32 %30
}

define internal fastcc ptr @base_of(ptr noundef nonnull readonly captures(none) %0, i32 noundef signext %1) unnamed_addr #1 {
  %3 = icmp eq i32 %1, 2
  br i1 %3, label %4, label %7

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  br label %16

7:
  %8 = icmp ugt i32 %1, 5
  br i1 %8, label %9, label %13

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %11 = load ptr, ptr %10, align 8
  %12 = tail call ptr @bundle_gpu_base(ptr noundef %11, i32 noundef signext %1) #17
  br label %16

13:
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %15 = load ptr, ptr %14, align 8
  br label %16

16:
  %17 = phi ptr [ %6, %4 ], [ %12, %9 ], [ %15, %13 ]
  ret ptr %17
}

define internal fastcc nonnull ptr @operands_of(ptr noundef readnone captures(ret: address, provenance) %0, ptr noundef readonly captures(none) %1) unnamed_addr #4 {
  %3 = tail call fastcc ptr @all_operands(ptr noundef %0) #16
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 36
  %5 = load i32, ptr %4, align 4
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds nuw ptr, ptr %3, i64 %6
  ret ptr %7
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

define internal fastcc signext i32 @reset(ptr noundef %0) unnamed_addr #1 {
  %2 = tail call fastcc signext i32 @enter_gpu(ptr noundef %0) #16
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %31

4:
  %5 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 104), align 8
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %12, label %7

7:
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %11 = zext i32 %5 to i64
  br label %15

12:
  %13 = phi i32 [ 0, %4 ], [ %26, %15 ]
  %14 = tail call fastcc signext i32 @leave_gpu(ptr noundef %0, i32 noundef signext %13) #16
  br label %31

15:
  %16 = phi i64 [ 0, %7 ], [ %27, %15 ]
  %17 = load ptr, ptr %8, align 8
  %18 = getelementptr inbounds nuw i32, ptr %17, i64 %16
  store i32 0, ptr %18, align 4
  %19 = trunc nuw i64 %16 to i32
  %20 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef signext %19, i32 noundef signext 0) #16
  %21 = load ptr, ptr %9, align 8
  %22 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %10, i64 %16
  %23 = getelementptr inbounds nuw i8, ptr %22, i64 80
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %21, i64 %24
  %26 = tail call fastcc signext i32 @copy_state(ptr noundef %0, i32 noundef signext %19, ptr noundef %20, ptr noundef %25) #16
  %27 = add nuw nsw i64 %16, 1
  %28 = icmp eq i32 %26, 0
  %29 = icmp samesign ult i64 %27, %11
  %30 = select i1 %28, i1 %29, i1 false
  br i1 %30, label %15, label %12

31:
  %32 = phi i32 [ %14, %12 ], [ %2, %1 ]
  ret i32 %32
}

define internal fastcc void @release(ptr noundef nonnull captures(none) initializes((0, 8)) %0) unnamed_addr #1 {
  store i64 0, ptr %0, align 8
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %6, label %5

5:
  tail call void @bundle_gpu_close(ptr noundef nonnull %3) #17
  br label %6

6:
  tail call void @bundle_close_threads() #17
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 52
  %8 = load i32, ptr %7, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8
  tail call void @bundle_free(ptr noundef %12) #17
  br label %13

13:
  ret void
}

define signext i32 @bundle_trace_entry(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef readonly captures(address_is_null) %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef readonly captures(address_is_null) %4, ptr noundef %5) local_unnamed_addr #1 {
  %7 = tail call fastcc signext i32 @enter(ptr noundef %1) #16
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %23

9:
  %10 = icmp ne ptr %2, null
  %11 = icmp ne ptr %3, null
  %12 = and i1 %10, %11
  br i1 %12, label %15, label %13

13:
  %14 = tail call fastcc signext i32 @fail(ptr noundef %1, i32 noundef signext 1, ptr noundef nonnull @.str.4, ptr noundef null) #16
  br label %20

15:
  %16 = tail call fastcc signext i32 @check_tensors(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #16
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %20

18:
  %19 = tail call fastcc signext i32 @execute(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, ptr noundef nonnull %3, ptr noundef %4, ptr noundef %5) #16
  br label %20

20:
  %21 = phi i32 [ 1, %13 ], [ %16, %15 ], [ %19, %18 ]
  %22 = tail call fastcc signext i32 @leave(ptr noundef %1, i32 noundef signext %21) #16
  br label %23

23:
  %24 = phi i32 [ %7, %6 ], [ %21, %20 ]
  ret i32 %24
}

define internal fastcc signext range(i32 0, 17) i32 @enter(ptr noundef %0) unnamed_addr #5 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %14, label %3

3:
  %4 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %14, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  br i1 %8, label %9, label %14

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %11 = atomicrmw xchg ptr %10, i32 1 acquire, align 8
  %12 = icmp eq i32 %11, 0
  %13 = select i1 %12, i32 0, i32 11
  br label %14

14:
  %15 = phi i32 [ 1, %1 ], [ %13, %9 ], [ 16, %6 ], [ 16, %3 ]
  ret i32 %15
}

define internal fastcc noundef signext i32 @leave(ptr noundef writeonly captures(none) %0, i32 noundef returned signext %1) unnamed_addr #5 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %4, label %6

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i8 0, ptr %5, align 8
  br label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 0, ptr %7 release, align 8
  ret i32 %1
}

define internal fastcc noundef signext range(i32 1, 15) i32 @fail(ptr noundef %0, i32 noundef returned signext range(i32 1, 15) %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 56
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %5, ptr noundef nonnull %6, i64 noundef 320, i32 noundef signext %1) #16
  %7 = icmp eq ptr %2, null
  br i1 %7, label %9, label %8

8:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.31) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %2) #17
  br label %9

9:
  %10 = icmp eq ptr %3, null
  br i1 %10, label %12, label %11

11:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.33) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %3) #17
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.34) #17
  br label %12

12:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %1
}

define internal fastcc signext range(i32 0, 13) i32 @check_tensors(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef nonnull readonly captures(none) %2, ptr noundef nonnull readonly captures(none) %3) unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %6 = load i32, ptr %5, align 4
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %8 = load i32, ptr %7, align 8
  %9 = add i32 %8, %6
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %79, label %11

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %14 = zext i32 %6 to i64
  %15 = zext i32 %9 to i64
  br label %16

16:
  %17 = phi i64 [ 0, %11 ], [ %73, %72 ]
  %18 = icmp samesign ult i64 %17, %14
  br i1 %18, label %19, label %23

19:
  %20 = load ptr, ptr %13, align 8
  %21 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %20, i64 %17
  %22 = getelementptr inbounds nuw ptr, ptr %2, i64 %17
  br label %28

23:
  %24 = load ptr, ptr %12, align 8
  %25 = sub nuw nsw i64 %17, %14
  %26 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %24, i64 %25
  %27 = getelementptr inbounds nuw ptr, ptr %3, i64 %25
  br label %28

28:
  %29 = phi ptr [ %21, %19 ], [ %26, %23 ]
  %30 = phi ptr [ @.str.35, %19 ], [ @.str.36, %23 ]
  %31 = phi ptr [ %22, %19 ], [ %27, %23 ]
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds nuw i8, ptr %29, i64 56
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, 0
  br i1 %35, label %72, label %36

36:
  %37 = icmp eq ptr %32, null
  br i1 %37, label %75, label %38

38:
  %39 = getelementptr inbounds nuw i8, ptr %29, i64 72
  %40 = load i32, ptr %39, align 8
  %41 = zext i32 %40 to i64
  %42 = tail call fastcc signext i32 @is_aligned(ptr noundef %32, i64 noundef %41) #16
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %75, label %44

44:
  %45 = icmp eq i64 %17, 0
  %46 = or i1 %18, %45
  br i1 %46, label %72, label %47

47:
  %48 = phi i64 [ %70, %69 ], [ 0, %44 ]
  %49 = icmp samesign ult i64 %48, %14
  br i1 %49, label %50, label %54

50:
  %51 = load ptr, ptr %13, align 8
  %52 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %51, i64 %48
  %53 = getelementptr inbounds nuw ptr, ptr %2, i64 %48
  br label %59

54:
  %55 = load ptr, ptr %12, align 8
  %56 = sub nuw nsw i64 %48, %14
  %57 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %55, i64 %56
  %58 = getelementptr inbounds nuw ptr, ptr %3, i64 %56
  br label %59

59:
  %60 = phi ptr [ %52, %50 ], [ %57, %54 ]
  %61 = phi ptr [ %53, %50 ], [ %58, %54 ]
  %62 = getelementptr inbounds nuw i8, ptr %60, i64 56
  %63 = load i64, ptr %62, align 8
  %64 = icmp eq i64 %63, 0
  br i1 %64, label %69, label %65

65:
  %66 = load ptr, ptr %61, align 8
  %67 = tail call fastcc signext i32 @ranges_overlap(ptr noundef %32, i64 noundef %34, ptr noundef %66, i64 noundef %63) #16
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %69, label %75

69:
  %70 = add nuw nsw i64 %48, 1
  %71 = icmp samesign ult i64 %70, %17
  br i1 %71, label %47, label %72

72:
  %73 = add nuw nsw i64 %17, 1
  %74 = icmp eq i64 %73, %15
  br i1 %74, label %79, label %16

75:
  %76 = phi i32 [ 12, %65 ], [ 1, %36 ], [ 8, %38 ]
  %77 = load ptr, ptr %29, align 8
  %78 = tail call fastcc signext i32 @fail(ptr noundef %1, i32 noundef signext %76, ptr noundef nonnull %30, ptr noundef %77) #16
  br label %79

79:
  %80 = phi i32 [ %76, %75 ], [ 0, %4 ], [ 0, %72 ]
  ret i32 %80
}

define internal fastcc signext i32 @execute(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, ptr noundef readonly captures(address_is_null) %4, ptr noundef %5) unnamed_addr #1 {
  %7 = tail call fastcc ptr @code_of(ptr noundef %1, ptr noundef %0) #16
  %8 = tail call fastcc signext i32 @enter_gpu(ptr noundef %1) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %44

10:
  %11 = getelementptr inbounds nuw i8, ptr %7, i64 40
  br label %12

12:
  %13 = phi i32 [ 0, %10 ], [ %28, %26 ]
  %14 = load i32, ptr %11, align 8
  %15 = icmp ult i32 %13, %14
  br i1 %15, label %26, label %16

16:
  %17 = phi i32 [ %27, %26 ], [ 0, %12 ]
  %18 = tail call fastcc signext i32 @leave_gpu(ptr noundef %1, i32 noundef signext %17) #16
  %19 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %20 = icmp eq i32 %18, 0
  br i1 %20, label %21, label %44

21:
  %22 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %23 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %24 = load i32, ptr %19, align 8
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %44, label %30

26:
  tail call fastcc void @bind(ptr noundef %1, ptr noundef nonnull %7, ptr noundef %2, ptr noundef %3, i32 noundef signext %13) #16
  %27 = tail call fastcc signext i32 @run_steps(ptr noundef %1, ptr noundef nonnull %7, ptr noundef %4, ptr noundef %5) #16
  %28 = add nuw i32 %13, 1
  %29 = icmp eq i32 %27, 0
  br i1 %29, label %12, label %16

30:
  %31 = phi i64 [ %40, %30 ], [ 0, %21 ]
  %32 = load ptr, ptr %22, align 8
  %33 = load ptr, ptr %23, align 8
  %34 = getelementptr inbounds nuw i32, ptr %33, i64 %31
  %35 = load i32, ptr %34, align 4
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds nuw i32, ptr %32, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = xor i32 %38, 1
  store i32 %39, ptr %37, align 4
  %40 = add nuw nsw i64 %31, 1
  %41 = load i32, ptr %19, align 8
  %42 = zext i32 %41 to i64
  %43 = icmp samesign ult i64 %40, %42
  br i1 %43, label %30, label %44

44:
  %45 = phi i32 [ %8, %6 ], [ %18, %16 ], [ 0, %21 ], [ 0, %30 ]
  ret i32 %45
}

define signext i32 @bundle_api_reset(ptr noundef %0) local_unnamed_addr #1 {
  %2 = tail call fastcc signext i32 @enter(ptr noundef %0) #16
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %7

4:
  %5 = tail call fastcc signext i32 @reset(ptr noundef %0) #16
  %6 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %5) #16
  br label %7

7:
  %8 = phi i32 [ %5, %4 ], [ %2, %1 ]
  ret i32 %8
}

define signext i32 @bundle_api_get_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = tail call fastcc signext i32 @enter(ptr noundef %0) #16
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %18

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #16
  %10 = icmp eq ptr %9, null
  br i1 %10, label %11, label %13

11:
  %12 = load i32, ptr %5, align 4
  br label %15

13:
  %14 = tail call fastcc signext i32 @move_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, ptr noundef nonnull %9) #16
  br label %15

15:
  %16 = phi i32 [ %12, %11 ], [ %14, %13 ]
  %17 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %16) #16
  br label %18

18:
  %19 = phi i32 [ %16, %15 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %19
}

define internal fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef readnone captures(address_is_null) %2, i64 noundef %3, ptr noundef nonnull writeonly captures(none) %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 104), align 8
  %7 = icmp ult i32 %1, %6
  br i1 %7, label %10, label %8

8:
  %9 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 13, ptr noundef nonnull @.str.37, ptr noundef null) #16
  store i32 13, ptr %4, align 4
  br label %33

10:
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %12 = zext i32 %1 to i64
  %13 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %11, i64 %12
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 56
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %3, %15
  br i1 %16, label %20, label %17

17:
  %18 = load ptr, ptr %13, align 8
  %19 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 13, ptr noundef nonnull @.str.38, ptr noundef %18) #16
  store i32 13, ptr %4, align 4
  br label %33

20:
  %21 = icmp eq ptr %2, null
  %22 = icmp ne i64 %3, 0
  %23 = and i1 %21, %22
  br i1 %23, label %24, label %27

24:
  %25 = load ptr, ptr %13, align 8
  %26 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 1, ptr noundef nonnull @.str.39, ptr noundef %25) #16
  store i32 1, ptr %4, align 4
  br label %33

27:
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %29 = load ptr, ptr %28, align 8
  %30 = getelementptr inbounds nuw i32, ptr %29, i64 %12
  %31 = load i32, ptr %30, align 4
  %32 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef signext %1, i32 noundef signext %31) #16
  br label %33

33:
  %34 = phi ptr [ %32, %27 ], [ null, %17 ], [ null, %24 ], [ null, %8 ]
  ret ptr %34
}

define internal fastcc signext i32 @move_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = tail call fastcc signext i32 @enter_gpu(ptr noundef %0) #16
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %10

7:
  %8 = tail call fastcc signext i32 @copy_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, ptr noundef %3) #16
  %9 = tail call fastcc signext i32 @leave_gpu(ptr noundef %0, i32 noundef signext %8) #16
  br label %10

10:
  %11 = phi i32 [ %9, %7 ], [ %5, %4 ]
  ret i32 %11
}

define signext i32 @bundle_api_set_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %6 = tail call fastcc signext i32 @enter(ptr noundef %0) #16
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %18

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #16
  %10 = icmp eq ptr %9, null
  br i1 %10, label %11, label %13

11:
  %12 = load i32, ptr %5, align 4
  br label %15

13:
  %14 = tail call fastcc signext i32 @move_state(ptr noundef %0, i32 noundef signext %1, ptr noundef nonnull %9, ptr noundef %2) #16
  br label %15

15:
  %16 = phi i32 [ %12, %11 ], [ %14, %13 ]
  %17 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %16) #16
  br label %18

18:
  %19 = phi i32 [ %16, %15 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %19
}

define signext range(i32 0, 17) i32 @bundle_api_destroy(ptr noundef %0) local_unnamed_addr #1 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %7, label %3

3:
  %4 = tail call fastcc signext i32 @enter(ptr noundef nonnull %0) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %7

6:
  tail call fastcc void @release(ptr noundef %0) #16
  br label %7

7:
  %8 = phi i32 [ 0, %1 ], [ 0, %6 ], [ %4, %3 ]
  ret i32 %8
}

define nonnull ptr @bundle_api_last_error(ptr noundef readonly %0) local_unnamed_addr #4 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %11, label %3

3:
  %4 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %11, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %10 = select i1 %8, ptr %9, ptr @.str.21
  br label %11

11:
  %12 = phi ptr [ @.str.6, %1 ], [ @.str.21, %3 ], [ %10, %6 ]
  ret ptr %12
}

define internal fastcc signext range(i32 0, 2) i32 @is_aligned(ptr noundef nonnull %0, i64 noundef range(i64 0, 4294967296) %1) unnamed_addr #0 {
  %3 = ptrtoint ptr %0 to i64
  %4 = add nsw i64 %1, -1
  %5 = and i64 %4, %3
  %6 = icmp eq i64 %5, 0
  %7 = zext i1 %6 to i32
  ret i32 %7
}

define ptr @bundle_api_cpu(ptr noundef readonly %0) local_unnamed_addr #6 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %13, label %3

3:
  %4 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %13, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  br i1 %8, label %9, label %13

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %11 = load ptr, ptr %10, align 8
  %12 = load ptr, ptr %11, align 8
  br label %13

13:
  %14 = phi ptr [ %12, %9 ], [ null, %6 ], [ null, %3 ], [ null, %1 ]
  ret ptr %14
}

define i64 @bundle_api_memory_size() local_unnamed_addr #0 {
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  ret i64 %1
}

define signext range(i32 0, 3) i32 @bundle_describe_entry(ptr noundef readonly captures(none) %0, ptr noundef captures(address_is_null) %1) local_unnamed_addr #7 {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %39, label %4

4:
  %5 = load i32, ptr %1, align 8
  %6 = icmp eq i32 %5, 96
  br i1 %6, label %7, label %39

7:
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 56), align 8
  %9 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %10 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 64), align 8
  %11 = load ptr, ptr @bundle_tables, align 8
  %12 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 8), align 8
  %13 = load ptr, ptr %0, align 8
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %17 = load ptr, ptr %16, align 8
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %20 = load i32, ptr %19, align 4
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %22 = load i32, ptr %21, align 8
  %23 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 104), align 8
  %24 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 100), align 4
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 4
  store i32 1, ptr %25, align 4
  %26 = getelementptr inbounds nuw i8, ptr %1, i64 8
  store i64 %8, ptr %26, align 8
  %27 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store i64 %9, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store i64 %10, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %1, i64 32
  store ptr %11, ptr %29, align 8
  %30 = getelementptr inbounds nuw i8, ptr %1, i64 40
  store ptr %12, ptr %30, align 8
  %31 = getelementptr inbounds nuw i8, ptr %1, i64 48
  store ptr %13, ptr %31, align 8
  %32 = getelementptr inbounds nuw i8, ptr %1, i64 56
  store ptr %15, ptr %32, align 8
  %33 = getelementptr inbounds nuw i8, ptr %1, i64 64
  store ptr %17, ptr %33, align 8
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 72
  store ptr %18, ptr %34, align 8
  %35 = getelementptr inbounds nuw i8, ptr %1, i64 80
  store i32 %20, ptr %35, align 8
  %36 = getelementptr inbounds nuw i8, ptr %1, i64 84
  store i32 %22, ptr %36, align 4
  %37 = getelementptr inbounds nuw i8, ptr %1, i64 88
  store i32 %23, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %1, i64 92
  store i32 %24, ptr %38, align 4
  br label %39

39:
  %40 = phi i32 [ 1, %2 ], [ 0, %7 ], [ 2, %4 ]
  ret i32 %40
}

define i64 @bundle_api_selftest_memory_size() local_unnamed_addr #8 {
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 100), align 4
  %2 = icmp eq i32 %1, 0
  br i1 %2, label %6, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %5 = zext i32 %1 to i64
  br label %8

6:
  %7 = phi i64 [ 0, %0 ], [ %26, %8 ]
  ret i64 %7

8:
  %9 = phi i64 [ 0, %3 ], [ %27, %8 ]
  %10 = phi i64 [ 0, %3 ], [ %26, %8 ]
  %11 = getelementptr inbounds nuw ptr, ptr %4, i64 %9
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 36
  %14 = load i32, ptr %13, align 4
  %15 = getelementptr inbounds nuw i8, ptr %12, i64 40
  %16 = load i32, ptr %15, align 8
  %17 = add i32 %16, %14
  %18 = zext i32 %17 to i64
  %19 = shl nuw nsw i64 %18, 3
  %20 = tail call fastcc i64 @padded(i64 noundef %19) #16
  %21 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %22 = load ptr, ptr %21, align 8
  %23 = tail call fastcc i64 @tensor_bytes(ptr noundef %22, i32 noundef signext %16) #16
  %24 = add i64 %20, 64
  %25 = add i64 %24, %23
  %26 = tail call i64 @llvm.umax.i64(i64 %25, i64 %10)
  %27 = add nuw nsw i64 %9, 1
  %28 = icmp eq i64 %27, %5
  br i1 %28, label %6, label %8
}

define internal fastcc noundef range(i64 0, -63) i64 @padded(i64 noundef %0) unnamed_addr #0 {
  %2 = add i64 %0, 63
  %3 = and i64 %2, -64
  ret i64 %3
}

define internal fastcc i64 @tensor_bytes(ptr noundef readonly captures(none) %0, i32 noundef signext %1) unnamed_addr #9 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %6, label %4

4:
  %5 = zext i32 %1 to i64
  br label %8

6:
  %7 = phi i64 [ 0, %2 ], [ %15, %8 ]
  ret i64 %7

8:
  %9 = phi i64 [ 0, %4 ], [ %16, %8 ]
  %10 = phi i64 [ 0, %4 ], [ %15, %8 ]
  %11 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %0, i64 %9
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 56
  %13 = load i64, ptr %12, align 8
  %14 = tail call fastcc i64 @padded(i64 noundef %13) #16
  %15 = add i64 %14, %10
  %16 = add nuw nsw i64 %9, 1
  %17 = icmp eq i64 %16, %5
  br i1 %17, label %6, label %8
}

define signext i32 @bundle_api_selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc signext i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext 0) #16
  ret i32 %6
}

define internal fastcc signext i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext range(i32 0, 2) %5) unnamed_addr #1 {
  %7 = alloca %struct.bundle_report, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #15
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %7, i8 0, i64 56, i1 false)
  %8 = tail call fastcc signext i32 @enter(ptr noundef %0) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %67

10:
  %11 = icmp eq ptr %4, null
  br i1 %11, label %18, label %12

12:
  %13 = load i32, ptr %4, align 8
  %14 = icmp eq i32 %13, 56
  br i1 %14, label %18, label %15

15:
  %16 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 2, ptr noundef nonnull @.str.40, ptr noundef null) #16
  %17 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 2) #16
  br label %67

18:
  %19 = tail call fastcc ptr @golden_problem(ptr noundef %1, i64 noundef %2) #16
  %20 = icmp eq ptr %19, null
  %21 = icmp ne i32 %5, 0
  %22 = and i1 %21, %20
  br i1 %22, label %23, label %25

23:
  %24 = tail call fastcc ptr @walk_problem(ptr noundef %0, ptr noundef %1) #16
  br label %25

25:
  %26 = phi ptr [ %24, %23 ], [ %19, %18 ]
  %27 = icmp eq ptr %26, null
  br i1 %27, label %31, label %28

28:
  %29 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 14, ptr noundef nonnull %26, ptr noundef null) #16
  %30 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 14) #16
  br label %67

31:
  %32 = icmp eq ptr %3, null
  br i1 %32, label %39, label %33

33:
  %34 = tail call fastcc signext i32 @is_aligned(ptr noundef %3, i64 noundef 64) #16
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %36, label %46

36:
  %37 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.41, ptr noundef null) #16
  %38 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 8) #16
  br label %67

39:
  %40 = tail call i64 @bundle_api_selftest_memory_size() #16
  %41 = tail call ptr @bundle_allocate(i64 noundef %40) #17
  %42 = icmp eq ptr %41, null
  br i1 %42, label %43, label %46

43:
  %44 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 9, ptr noundef nonnull @.str.42, ptr noundef null) #16
  %45 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 9) #16
  br label %67

46:
  %47 = phi ptr [ %41, %39 ], [ %3, %33 ]
  %48 = select i1 %11, ptr %7, ptr %4
  store i32 56, ptr %48, align 8
  %49 = select i1 %11, ptr %7, ptr %4
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 4
  store i32 0, ptr %50, align 4
  %51 = select i1 %11, ptr %7, ptr %4
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 8
  store ptr @.str.43, ptr %52, align 8
  %53 = select i1 %11, ptr %7, ptr %4
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 16
  store ptr @.str.43, ptr %54, align 8
  %55 = select i1 %11, ptr %7, ptr %4
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 24
  store i64 0, ptr %56, align 8
  %57 = select i1 %11, ptr %7, ptr %4
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 32
  store double 0.000000e+00, ptr %58, align 8
  %59 = select i1 %11, ptr %7, ptr %4
  %60 = getelementptr inbounds nuw i8, ptr %59, i64 40
  store double 0.000000e+00, ptr %60, align 8
  %61 = select i1 %11, ptr %7, ptr %4
  %62 = getelementptr inbounds nuw i8, ptr %61, i64 48
  store double 0.000000e+00, ptr %62, align 8
  %63 = call fastcc signext i32 @run_sections(ptr noundef %0, ptr noundef %1, ptr noundef %47, i32 noundef signext %5, ptr noundef nonnull %48) #16
  br i1 %32, label %64, label %65

64:
  call void @bundle_free(ptr noundef nonnull %47) #17
  br label %65

65:
  %66 = call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %63) #16
  br label %67

67:
  %68 = phi i32 [ %8, %6 ], [ 2, %15 ], [ 14, %28 ], [ 8, %36 ], [ %63, %65 ], [ 9, %43 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #15
  ret i32 %68
}

define signext i32 @bundle_api_selftest_ops(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc signext i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext 1) #16
  ret i32 %6
}

define internal fastcc ptr @find_level(ptr noundef readonly captures(address_is_null) %0, ptr noundef nonnull writeonly captures(none) initializes((0, 8)) %1) unnamed_addr #1 {
  store ptr @.str.27, ptr %1, align 8
  %3 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 96), align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %26, label %5

5:
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 16), align 8
  %7 = icmp eq ptr %0, null
  %8 = zext i32 %3 to i64
  br label %9

9:
  %10 = phi i64 [ 0, %5 ], [ %24, %23 ]
  %11 = getelementptr inbounds nuw %struct.bundle_level, ptr %6, i64 %10
  br i1 %7, label %16, label %12

12:
  %13 = load ptr, ptr %11, align 8
  %14 = tail call fastcc signext i32 @same_text(ptr noundef %0, ptr noundef %13) #16
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %23, label %16

16:
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %11, i64 24
  %20 = load i32, ptr %19, align 8
  %21 = tail call ptr @bundle_missing_feature(ptr noundef %18, i32 noundef signext %20) #17
  store ptr %21, ptr %1, align 8
  %22 = icmp eq ptr %21, null
  br i1 %22, label %26, label %23

23:
  %24 = add nuw nsw i64 %10, 1
  %25 = icmp eq i64 %24, %8
  br i1 %25, label %26, label %9

26:
  %27 = phi ptr [ null, %2 ], [ null, %23 ], [ %11, %16 ]
  ret ptr %27
}

define internal fastcc signext range(i32 0, 9) i32 @check_weights(ptr noundef nonnull readonly captures(none) %0) unnamed_addr #1 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %17, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %7 = load i64, ptr %6, align 8
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 64), align 8
  %9 = icmp eq i64 %7, %8
  br i1 %9, label %12, label %10

10:
  %11 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.2, i64 noundef %7, i64 noundef %8) #16
  br label %32

12:
  %13 = tail call fastcc signext i32 @is_aligned(ptr noundef %3, i64 noundef 64) #16
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %15, label %22

15:
  %16 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.28, i64 noundef 0, i64 noundef 0) #16
  br label %32

17:
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %22

20:
  %21 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.29, i64 noundef 0, i64 noundef 0) #16
  br label %32

22:
  %23 = phi ptr [ %18, %17 ], [ %3, %12 ]
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %25 = load i32, ptr %24, align 4
  %26 = icmp ne i32 %25, 0
  %27 = zext i1 %26 to i32
  %28 = tail call fastcc signext i32 @are_our_weights(ptr noundef nonnull %23, i32 noundef signext %27) #16
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %32

30:
  %31 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.30, i64 noundef 0, i64 noundef 0) #16
  br label %32

32:
  %33 = phi i32 [ 6, %10 ], [ 6, %20 ], [ 6, %30 ], [ 8, %15 ], [ 0, %22 ]
  ret i32 %33
}

define internal fastcc signext range(i32 0, 2) i32 @same_text(ptr noundef nonnull readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #9 {
  %3 = load i8, ptr %0, align 1
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %16, label %5

5:
  %6 = phi i8 [ %14, %11 ], [ %3, %2 ]
  %7 = phi ptr [ %13, %11 ], [ %1, %2 ]
  %8 = phi ptr [ %12, %11 ], [ %0, %2 ]
  %9 = load i8, ptr %7, align 1
  %10 = icmp eq i8 %6, %9
  br i1 %10, label %11, label %16

11:
  %12 = getelementptr inbounds nuw i8, ptr %8, i64 1
  %13 = getelementptr inbounds nuw i8, ptr %7, i64 1
  %14 = load i8, ptr %12, align 1
  %15 = icmp eq i8 %14, 0
  br i1 %15, label %16, label %5

16:
  %17 = phi ptr [ %1, %2 ], [ %13, %11 ], [ %7, %5 ]
  %18 = phi i8 [ 0, %2 ], [ 0, %11 ], [ %6, %5 ]
  %19 = load i8, ptr %17, align 1
  %20 = icmp eq i8 %18, %19
  %21 = zext i1 %20 to i32
  ret i32 %21
}

declare ptr @bundle_missing_feature(ptr noundef, i32 noundef signext) local_unnamed_addr #3

define internal fastcc signext range(i32 0, 2) i32 @are_our_weights(ptr noundef %0, i32 noundef signext range(i32 0, 2) %1) unnamed_addr #1 {
  %3 = alloca [32 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #15
  %4 = tail call fastcc signext i32 @same_bytes(ptr noundef %0, ptr noundef nonnull @are_our_weights.magic, i64 noundef 8) #16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %17, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %8 = tail call fastcc signext i32 @same_bytes(ptr noundef nonnull %7, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 120), i64 noundef 32) #16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %17, label %10

10:
  %11 = icmp eq i32 %1, 0
  br i1 %11, label %17, label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 64), align 8
  %15 = add i64 %14, -64
  call void @bundle_sha256(ptr noundef nonnull %13, i64 noundef %15, ptr noundef nonnull %3) #17
  %16 = call fastcc signext i32 @same_bytes(ptr noundef nonnull %3, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 120), i64 noundef 32) #16
  br label %17

17:
  %18 = phi i32 [ %16, %12 ], [ 0, %6 ], [ 0, %2 ], [ 1, %10 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #15
  ret i32 %18
}

define internal fastcc signext range(i32 0, 2) i32 @same_bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef range(i64 0, 256) %2) unnamed_addr #9 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %15, label %8

5:
  %6 = add nuw nsw i64 %9, 1
  %7 = icmp eq i64 %6, %2
  br i1 %7, label %15, label %8

8:
  %9 = phi i64 [ %6, %5 ], [ 0, %3 ]
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 %9
  %11 = load i8, ptr %10, align 1
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 %9
  %13 = load i8, ptr %12, align 1
  %14 = icmp eq i8 %11, %13
  br i1 %14, label %5, label %15

15:
  %16 = phi i32 [ 1, %3 ], [ 1, %5 ], [ 0, %8 ]
  ret i32 %16
}

declare void @bundle_sha256(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc void @message_for(ptr dead_on_unwind noalias nonnull writable sret(%struct.bundle_text) align 8 initializes((0, 24)) %0, ptr noundef %1, i64 noundef %2, i32 noundef signext range(i32 1, 18) %3) unnamed_addr #1 {
  store ptr %1, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = icmp eq ptr %1, null
  %7 = select i1 %6, i64 0, i64 %2
  store i64 %7, ptr %5, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 0, ptr %8, align 8
  %9 = zext nneg i32 %3 to i64
  %10 = getelementptr inbounds nuw ptr, ptr @texts, i64 %9
  %11 = load ptr, ptr %10, align 8
  tail call void @bundle_add(ptr noundef nonnull %0, ptr noundef %11) #17
  ret void
}

declare void @bundle_add(ptr noundef, ptr noundef) local_unnamed_addr #3

declare void @bundle_add_number(ptr noundef, i64 noundef) local_unnamed_addr #3

declare signext i32 @bundle_gpu_open(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare ptr @bundle_gpu_base(ptr noundef, i32 noundef signext) local_unnamed_addr #3

define internal fastcc signext range(i32 0, 18) i32 @enter_gpu(ptr noundef %0) unnamed_addr #1 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %9, label %5

5:
  %6 = tail call signext i32 @bundle_gpu_enter(ptr noundef nonnull %3) #17
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %9

8:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %9

9:
  %10 = phi i32 [ 17, %8 ], [ 0, %5 ], [ 0, %1 ]
  ret i32 %10
}

define internal fastcc signext range(i32 0, 18) i32 @copy_state(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %6 = zext i32 %1 to i64
  %7 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %5, i64 %6
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 104
  %9 = load i64, ptr %8, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %11, label %14

11:
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 56
  %13 = load i64, ptr %12, align 8
  tail call fastcc void @copy(ptr noundef %2, ptr noundef %3, i64 noundef %13) #16
  br label %22

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %7, i64 56
  %18 = load i64, ptr %17, align 8
  %19 = tail call signext i32 @bundle_gpu_copy(ptr noundef %16, ptr noundef %2, ptr noundef %3, i64 noundef %18) #17
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %22

21:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %22

22:
  %23 = phi i32 [ 17, %21 ], [ 0, %14 ], [ 0, %11 ]
  ret i32 %23
}

define internal fastcc ptr @state_place(ptr noundef readonly captures(none) %0, i32 noundef signext %1, i32 noundef signext %2) unnamed_addr #1 {
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %5 = zext i32 %1 to i64
  %6 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %4, i64 %5
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 104
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %14, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %12 = load ptr, ptr %11, align 8
  %13 = tail call ptr @bundle_gpu_base(ptr noundef %12, i32 noundef signext 8) #17
  br label %17

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %16 = load ptr, ptr %15, align 8
  br label %17

17:
  %18 = phi ptr [ %13, %10 ], [ %16, %14 ]
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 88
  %20 = zext i32 %2 to i64
  %21 = getelementptr inbounds nuw i64, ptr %19, i64 %20
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %18, i64 %22
  ret ptr %23
}

define internal fastcc noundef signext i32 @leave_gpu(ptr noundef %0, i32 noundef signext %1) unnamed_addr #1 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %11, label %6

6:
  %7 = tail call signext i32 @bundle_gpu_leave(ptr noundef nonnull %4) #17
  %8 = or i32 %7, %1
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %11

10:
  tail call fastcc void @fail_on_gpu(ptr noundef nonnull %0) #16
  br label %11

11:
  %12 = phi i32 [ 17, %10 ], [ %1, %6 ], [ %1, %2 ]
  ret i32 %12
}

declare signext i32 @bundle_gpu_enter(ptr noundef) local_unnamed_addr #3

define internal fastcc void @fail_on_gpu(ptr noundef %0) unnamed_addr #1 {
  %2 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #15
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 56
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %2, ptr noundef nonnull %3, i64 noundef 320, i32 noundef signext 17) #16
  call void @bundle_add(ptr noundef nonnull %2, ptr noundef nonnull @.str.31) #17
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %5 = load ptr, ptr %4, align 8
  call void @bundle_gpu_why(ptr noundef %5, ptr noundef nonnull %2) #17
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #15
  ret void
}

declare void @bundle_gpu_why(ptr noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc void @copy(ptr noundef writeonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) unnamed_addr #10 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %5, label %6

5:
  ret void

6:
  %7 = phi i64 [ %11, %6 ], [ 0, %3 ]
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 %7
  %9 = load i8, ptr %8, align 1
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 %7
  store i8 %9, ptr %10, align 1
  %11 = add nuw i64 %7, 1
  %12 = icmp eq i64 %11, %2
  br i1 %12, label %5, label %6
}

declare signext i32 @bundle_gpu_copy(ptr noundef, ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr #3

declare signext i32 @bundle_gpu_leave(ptr noundef) local_unnamed_addr #3

declare void @bundle_gpu_close(ptr noundef) local_unnamed_addr #3

declare void @bundle_free(ptr noundef) local_unnamed_addr #3

define internal fastcc signext range(i32 0, 2) i32 @ranges_overlap(ptr noundef nonnull %0, i64 noundef %1, ptr noundef %2, i64 noundef range(i64 1, 0) %3) unnamed_addr #0 {
  %5 = ptrtoint ptr %0 to i64
  %6 = ptrtoint ptr %2 to i64
  %7 = add i64 %3, %6
  %8 = icmp ugt i64 %7, %5
  %9 = add i64 %1, %5
  %10 = icmp ugt i64 %9, %6
  %11 = and i1 %10, %8
  %12 = zext i1 %11 to i32
  ret i32 %12
}

define internal fastcc ptr @code_of(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #6 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %8 = load i32, ptr %7, align 8
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds nuw %struct.bundle_code, ptr %6, i64 %9
  ret ptr %10
}

define internal fastcc void @bind(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, i32 noundef signext %4) unnamed_addr #1 {
  %6 = tail call fastcc ptr @operands_of(ptr noundef %0, ptr noundef %1) #16
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 28
  %8 = load i32, ptr %7, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %14, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %13 = zext i32 %4 to i64
  br label %15

14:
  ret void

15:
  %16 = phi i64 [ 0, %10 ], [ %56, %55 ]
  %17 = load ptr, ptr %11, align 8
  %18 = getelementptr inbounds nuw %struct.bundle_slot, ptr %17, i64 %16
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 4
  %20 = load i32, ptr %19, align 4
  %21 = load i32, ptr %18, align 8
  switch i32 %21, label %55 [
    i32 0, label %22
    i32 1, label %30
    i32 4, label %38
    i32 5, label %44
  ]

22:
  %23 = zext i32 %20 to i64
  %24 = getelementptr inbounds nuw ptr, ptr %2, i64 %23
  %25 = load ptr, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %27 = load i64, ptr %26, align 8
  %28 = mul i64 %27, %13
  %29 = getelementptr inbounds nuw i8, ptr %25, i64 %28
  br label %52

30:
  %31 = zext i32 %20 to i64
  %32 = getelementptr inbounds nuw ptr, ptr %3, i64 %31
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %35 = load i64, ptr %34, align 8
  %36 = mul i64 %35, %13
  %37 = getelementptr inbounds nuw i8, ptr %33, i64 %36
  br label %52

38:
  %39 = load ptr, ptr %12, align 8
  %40 = zext i32 %20 to i64
  %41 = getelementptr inbounds nuw i32, ptr %39, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef signext %20, i32 noundef signext %42) #16
  br label %52

44:
  %45 = load ptr, ptr %12, align 8
  %46 = zext i32 %20 to i64
  %47 = getelementptr inbounds nuw i32, ptr %45, i64 %46
  %48 = load i32, ptr %47, align 4
  %49 = icmp eq i32 %48, 0
  %50 = zext i1 %49 to i32
  %51 = tail call fastcc ptr @state_place(ptr noundef %0, i32 noundef signext %20, i32 noundef signext %50) #16
  br label %52

52:
  %53 = phi ptr [ %51, %44 ], [ %43, %38 ], [ %37, %30 ], [ %29, %22 ]
  %54 = getelementptr inbounds nuw ptr, ptr %6, i64 %16
  store ptr %53, ptr %54, align 8
  br label %55

55:
  %56 = add nuw nsw i64 %16, 1
  %57 = load i32, ptr %7, align 4
  %58 = zext i32 %57 to i64
  %59 = icmp samesign ult i64 %56, %58
  br i1 %59, label %15, label %14
}

define internal fastcc signext range(i32 0, 18) i32 @run_steps(ptr noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(address_is_null) %2, ptr noundef %3) unnamed_addr #1 {
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %6 = load i32, ptr %5, align 8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %37, label %8

8:
  %9 = icmp eq ptr %2, null
  br label %10

10:
  %11 = phi i64 [ 0, %8 ], [ %32, %31 ]
  %12 = load ptr, ptr %1, align 8
  %13 = getelementptr inbounds nuw %struct.bundle_step, ptr %12, i64 %11
  %14 = tail call fastcc ptr @operands_of(ptr noundef %0, ptr noundef nonnull %1) #16
  %15 = getelementptr inbounds nuw i8, ptr %13, i64 24
  %16 = load i32, ptr %15, align 8
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw ptr, ptr %14, i64 %17
  %19 = tail call fastcc signext i32 @do_step(ptr noundef %0, ptr noundef %13, ptr noundef nonnull %18) #16
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %36, label %21

21:
  br i1 %9, label %31, label %22

22:
  %23 = getelementptr inbounds nuw i8, ptr %13, i64 32
  %24 = load i32, ptr %23, align 8
  switch i32 %24, label %31 [
    i32 0, label %25
    i32 2, label %25
  ]

25:
  %26 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %27 = load ptr, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %13, i64 16
  %29 = load ptr, ptr %28, align 8
  %30 = trunc nuw i64 %11 to i32
  tail call void %2(ptr noundef %3, i32 noundef signext %30, ptr noundef %27, ptr noundef %29, ptr noundef nonnull %18) #17
  br label %31

31:
  %32 = add nuw nsw i64 %11, 1
  %33 = load i32, ptr %5, align 8
  %34 = zext i32 %33 to i64
  %35 = icmp samesign ult i64 %32, %34
  br i1 %35, label %10, label %37

36:
  tail call fastcc void @fail_on_gpu(ptr noundef %0) #16
  br label %37

37:
  %38 = phi i32 [ 17, %36 ], [ 0, %4 ], [ 0, %31 ]
  ret i32 %38
}

define internal fastcc signext i32 @do_step(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2) unnamed_addr #1 {
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %5 = load i32, ptr %4, align 8
  switch i32 %5, label %14 [
    i32 0, label %6
    i32 1, label %8
  ]

6:
  %7 = load ptr, ptr %1, align 8
  tail call void %7(ptr noundef %2) #17
  br label %18

8:
  %9 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = load ptr, ptr %2, align 8
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %13 = load i64, ptr %12, align 8
  tail call fastcc void @copy(ptr noundef %10, ptr noundef %11, i64 noundef %13) #16
  br label %18

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %16 = load ptr, ptr %15, align 8
  %17 = tail call signext i32 @bundle_gpu_work(ptr noundef %16, ptr noundef nonnull %1, ptr noundef %2) #17
  br label %18

18:
  %19 = phi i32 [ %17, %14 ], [ 1, %6 ], [ 1, %8 ]
  ret i32 %19
}

declare signext i32 @bundle_gpu_work(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #3

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #11

define internal fastcc ptr @golden_problem(ptr noundef readonly %0, i64 noundef %1) unnamed_addr #8 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %32, label %4

4:
  %5 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #16
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %32, label %7

7:
  %8 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 100), align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %28, label %10

10:
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %12 = zext i32 %8 to i64
  br label %13

13:
  %14 = phi i64 [ 0, %10 ], [ %26, %21 ]
  %15 = phi ptr [ %0, %10 ], [ %25, %21 ]
  %16 = phi i64 [ %1, %10 ], [ %24, %21 ]
  %17 = getelementptr inbounds nuw ptr, ptr %11, i64 %14
  %18 = load ptr, ptr %17, align 8
  %19 = tail call fastcc ptr @section_problem(ptr noundef %18, ptr noundef %15, i64 noundef %16) #16
  %20 = icmp eq ptr %19, null
  br i1 %20, label %21, label %32

21:
  %22 = getelementptr inbounds nuw i8, ptr %15, i64 24
  %23 = load i64, ptr %22, align 8
  %24 = sub i64 %16, %23
  %25 = getelementptr inbounds nuw i8, ptr %15, i64 %23
  %26 = add nuw nsw i64 %14, 1
  %27 = icmp eq i64 %26, %12
  br i1 %27, label %28, label %13

28:
  %29 = phi i64 [ %1, %7 ], [ %24, %21 ]
  %30 = icmp eq i64 %29, 0
  %31 = select i1 %30, ptr null, ptr @.str.45
  br label %32

32:
  %33 = phi ptr [ %31, %28 ], [ @.str.44, %2 ], [ @.str.44, %4 ], [ %19, %13 ]
  ret ptr %33
}

define internal fastcc ptr @walk_problem(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #4 {
  %3 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %4 = load i32, ptr %3, align 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %12, label %6

6:
  %7 = tail call fastcc signext i32 @level_number(ptr noundef %0) #16
  %8 = shl nuw i32 1, %7
  %9 = and i32 %8, %4
  %10 = icmp eq i32 %9, 0
  %11 = select i1 %10, ptr @.str.51, ptr null
  br label %12

12:
  %13 = phi ptr [ %11, %6 ], [ @.str.50, %2 ]
  ret ptr %13
}

define internal fastcc signext i32 @run_sections(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, i32 noundef signext range(i32 0, 2) %3, ptr noundef %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 100), align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %11, label %8

8:
  %9 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %10 = zext i32 %6 to i64
  br label %13

11:
  %12 = phi i32 [ 0, %5 ], [ 15, %20 ], [ %18, %22 ]
  ret i32 %12

13:
  %14 = phi i64 [ 0, %8 ], [ %26, %22 ]
  %15 = phi ptr [ %1, %8 ], [ %25, %22 ]
  %16 = getelementptr inbounds nuw ptr, ptr %9, i64 %14
  %17 = load ptr, ptr %16, align 8
  %18 = tail call fastcc signext i32 @run_cases(ptr noundef %17, ptr noundef %0, ptr noundef %15, ptr noundef %2, i32 noundef signext %3, ptr noundef %4) #16
  %19 = icmp eq i32 %18, 15
  br i1 %19, label %20, label %22

20:
  %21 = load ptr, ptr %16, align 8
  tail call fastcc void @say_mismatch(ptr noundef %0, ptr noundef %21, ptr noundef %4) #16
  br label %11

22:
  %23 = getelementptr inbounds nuw i8, ptr %15, i64 24
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %15, i64 %24
  %26 = add nuw nsw i64 %14, 1
  %27 = icmp eq i32 %18, 0
  %28 = icmp samesign ult i64 %26, %10
  %29 = select i1 %27, i1 %28, i1 false
  br i1 %29, label %13, label %11
}

define internal fastcc ptr @section_problem(ptr noundef readonly captures(none) %0, ptr noundef nonnull readonly captures(none) %1, i64 noundef %2) unnamed_addr #8 {
  %4 = icmp ult i64 %2, 64
  br i1 %4, label %55, label %5

5:
  %6 = tail call fastcc signext i32 @same_bytes(ptr noundef nonnull %1, ptr noundef nonnull @section_problem.magic, i64 noundef 8) #16
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %55, label %8

8:
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %10 = load i32, ptr %9, align 8
  %11 = icmp eq i32 %10, 2
  br i1 %11, label %12, label %55

12:
  %13 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %14, %16
  br i1 %17, label %18, label %55

18:
  %19 = getelementptr inbounds nuw i8, ptr %1, i64 12
  %20 = load i32, ptr %19, align 4
  %21 = icmp ugt i32 %20, 1024
  br i1 %21, label %55, label %22

22:
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %24 = load i32, ptr %23, align 8
  %25 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 96), align 8
  %26 = lshr i32 %24, %25
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %28, label %55

28:
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %30 = load ptr, ptr %29, align 8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %32 = load i32, ptr %31, align 4
  %33 = tail call fastcc i64 @tensor_bytes(ptr noundef %30, i32 noundef signext %32) #16
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %37 = load i32, ptr %36, align 8
  %38 = tail call fastcc i64 @tensor_bytes(ptr noundef %35, i32 noundef signext %37) #16
  %39 = add i64 %38, %33
  %40 = tail call fastcc i64 @recorded_bytes(ptr noundef nonnull %1, ptr noundef nonnull %0, i32 noundef signext %25) #16
  %41 = add i64 %39, %40
  %42 = zext i32 %37 to i64
  %43 = shl nuw nsw i64 %42, 4
  %44 = tail call fastcc i64 @padded(i64 noundef %43) #16
  %45 = add i64 %44, 64
  %46 = zext nneg i32 %20 to i64
  %47 = mul i64 %41, %46
  %48 = add i64 %45, %47
  %49 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %50 = load i64, ptr %49, align 8
  %51 = icmp ne i64 %50, %48
  %52 = icmp ult i64 %2, %48
  %53 = or i1 %51, %52
  %54 = select i1 %53, ptr @.str.49, ptr null
  br label %55

55:
  %56 = phi ptr [ %54, %28 ], [ @.str.46, %3 ], [ @.str.47, %8 ], [ @.str.46, %5 ], [ @.str.47, %12 ], [ @.str.48, %22 ], [ @.str.48, %18 ]
  ret ptr %56
}

define internal fastcc i64 @recorded_bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i32 noundef signext %2) unnamed_addr #8 {
  %4 = icmp eq i32 %2, 0
  br i1 %4, label %11, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %7 = load i32, ptr %6, align 8
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 16), align 8
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %10 = zext i32 %2 to i64
  br label %13

11:
  %12 = phi i64 [ 0, %3 ], [ %30, %29 ]
  ret i64 %12

13:
  %14 = phi i64 [ 0, %5 ], [ %31, %29 ]
  %15 = phi i64 [ 0, %5 ], [ %30, %29 ]
  %16 = trunc nuw i64 %14 to i32
  %17 = shl nuw i32 1, %16
  %18 = and i32 %7, %17
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %29, label %20

20:
  %21 = getelementptr inbounds nuw %struct.bundle_level, ptr %8, i64 %14
  %22 = getelementptr inbounds nuw i8, ptr %21, i64 16
  %23 = load ptr, ptr %22, align 8
  %24 = load i32, ptr %9, align 8
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds nuw %struct.bundle_code, ptr %23, i64 %25
  %27 = tail call fastcc i64 @kernel_bytes(ptr noundef %26) #16
  %28 = add i64 %27, %15
  br label %29

29:
  %30 = phi i64 [ %28, %20 ], [ %15, %13 ]
  %31 = add nuw nsw i64 %14, 1
  %32 = icmp eq i64 %31, %10
  br i1 %32, label %11, label %13
}

define internal fastcc i64 @kernel_bytes(ptr noundef readonly captures(none) %0) unnamed_addr #8 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %3 = load i32, ptr %2, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %9, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = zext i32 %3 to i64
  br label %15

9:
  %10 = phi i64 [ 0, %1 ], [ %34, %33 ]
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %12 = load i32, ptr %11, align 8
  %13 = zext i32 %12 to i64
  %14 = mul i64 %10, %13
  ret i64 %14

15:
  %16 = phi i64 [ 0, %5 ], [ %35, %33 ]
  %17 = phi i64 [ 0, %5 ], [ %34, %33 ]
  %18 = getelementptr inbounds nuw %struct.bundle_slot, ptr %7, i64 %16
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 12
  %20 = load i32, ptr %19, align 4
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %33, label %22

22:
  %23 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %24 = load i32, ptr %23, align 8
  %25 = tail call fastcc i64 @item_size(i32 noundef signext %24) #16
  %26 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %27 = load i64, ptr %26, align 8
  %28 = udiv i64 %27, %25
  %29 = tail call i64 @llvm.umin.i64(i64 %28, i64 256)
  %30 = mul nuw nsw i64 %29, %25
  %31 = tail call fastcc i64 @padded(i64 noundef %30) #16
  %32 = add i64 %31, %17
  br label %33

33:
  %34 = phi i64 [ %32, %22 ], [ %17, %15 ]
  %35 = add nuw nsw i64 %16, 1
  %36 = icmp eq i64 %35, %8
  br i1 %36, label %9, label %15
}

define internal fastcc range(i64 0, 256) i64 @item_size(i32 noundef signext %0) unnamed_addr #0 {
  %2 = zext i32 %0 to i64
  %3 = getelementptr inbounds nuw i8, ptr @item_size.sizes, i64 %2
  %4 = load i8, ptr %3, align 1
  %5 = zext i8 %4 to i64
  ret i64 %5
}

define internal fastcc signext i32 @level_number(ptr noundef readonly captures(none) %0) unnamed_addr #4 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %3 = load ptr, ptr %2, align 8
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 16), align 8
  %5 = ptrtoint ptr %3 to i64
  %6 = ptrtoint ptr %4 to i64
  %7 = sub i64 %5, %6
  %8 = lshr exact i64 %7, 5
  %9 = trunc i64 %8 to i32
  ret i32 %9
}

define internal fastcc signext i32 @run_cases(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %3, i32 noundef signext range(i32 0, 2) %4, ptr noundef %5) unnamed_addr #1 {
  %7 = alloca %struct.golden_run, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #15
  %8 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %10 = load i32, ptr %9, align 8
  %11 = zext i32 %10 to i64
  %12 = shl nuw nsw i64 %11, 4
  %13 = tail call fastcc i64 @padded(i64 noundef %12) #16
  %14 = getelementptr inbounds nuw i8, ptr %8, i64 %13
  store ptr %14, ptr %7, align 8
  %15 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store ptr %8, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store ptr %3, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %19 = load i32, ptr %18, align 4
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw ptr, ptr %3, i64 %20
  store ptr %21, ptr %17, align 8
  %22 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %23 = tail call fastcc signext i32 @level_number(ptr noundef %1) #16
  %24 = tail call fastcc i64 @recorded_bytes(ptr noundef %2, ptr noundef %0, i32 noundef signext %23) #16
  store i64 %24, ptr %22, align 8
  %25 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %26 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 96), align 8
  %27 = tail call fastcc i64 @recorded_bytes(ptr noundef %2, ptr noundef %0, i32 noundef signext %26) #16
  store i64 %27, ptr %25, align 8
  %28 = getelementptr inbounds nuw i8, ptr %7, i64 48
  store i32 %4, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %7, i64 52
  store i32 0, ptr %29, align 4
  %30 = icmp eq i32 %10, 0
  br i1 %30, label %38, label %31

31:
  %32 = add i32 %19, %10
  %33 = zext i32 %32 to i64
  %34 = shl nuw nsw i64 %33, 3
  %35 = tail call fastcc i64 @padded(i64 noundef %34) #16
  %36 = getelementptr inbounds nuw i8, ptr %3, i64 %35
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %44

38:
  %39 = tail call fastcc signext i32 @reset(ptr noundef %1) #16
  %40 = getelementptr inbounds nuw i8, ptr %2, i64 12
  %41 = icmp eq i32 %39, 0
  br i1 %41, label %42, label %62

42:
  %43 = getelementptr inbounds nuw i8, ptr %5, i64 4
  br label %58

44:
  %45 = phi i64 [ 0, %31 ], [ %54, %44 ]
  %46 = phi ptr [ %36, %31 ], [ %53, %44 ]
  %47 = getelementptr inbounds nuw ptr, ptr %21, i64 %45
  store ptr %46, ptr %47, align 8
  %48 = load ptr, ptr %37, align 8
  %49 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %48, i64 %45
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 56
  %51 = load i64, ptr %50, align 8
  %52 = tail call fastcc i64 @padded(i64 noundef %51) #16
  %53 = getelementptr inbounds nuw i8, ptr %46, i64 %52
  %54 = add nuw nsw i64 %45, 1
  %55 = load i32, ptr %9, align 8
  %56 = zext i32 %55 to i64
  %57 = icmp samesign ult i64 %54, %56
  br i1 %57, label %44, label %38

58:
  %59 = phi i32 [ 0, %42 ], [ %71, %69 ]
  %60 = load i32, ptr %40, align 4
  %61 = icmp ult i32 %59, %60
  br i1 %61, label %69, label %65

62:
  %63 = phi i32 [ %39, %38 ], [ %70, %69 ]
  %64 = tail call fastcc signext i32 @reset(ptr noundef %1) #16
  br label %67

65:
  %66 = tail call fastcc signext i32 @reset(ptr noundef %1) #16
  br label %67

67:
  %68 = phi i32 [ %66, %65 ], [ %63, %62 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #15
  ret i32 %68

69:
  store i32 %59, ptr %43, align 4
  %70 = call fastcc signext i32 @run_case(ptr noundef %0, ptr noundef %1, ptr noundef %7, ptr noundef %5) #16
  %71 = add nuw i32 %59, 1
  %72 = icmp eq i32 %70, 0
  br i1 %72, label %58, label %62
}

define internal fastcc void @say_mismatch(ptr noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2) unnamed_addr #1 {
  %4 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #15
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 56
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %4, ptr noundef nonnull %5, i64 noundef 320, i32 noundef signext 15) #16
  %6 = load ptr, ptr %1, align 8
  %7 = load i8, ptr %6, align 1
  %8 = icmp eq i8 %7, 0
  br i1 %8, label %11, label %9

9:
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.52) #17
  %10 = load ptr, ptr %1, align 8
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %10) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.34) #17
  br label %11

11:
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.53) #17
  %12 = getelementptr inbounds nuw i8, ptr %2, i64 4
  %13 = load i32, ptr %12, align 4
  %14 = zext i32 %13 to i64
  call void @bundle_add_number(ptr noundef nonnull %4, i64 noundef %14) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.54) #17
  %15 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %16 = load ptr, ptr %15, align 8
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %16) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.33) #17
  %17 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %18 = load ptr, ptr %17, align 8
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef %18) #17
  call void @bundle_add(ptr noundef nonnull %4, ptr noundef nonnull @.str.55) #17
  %19 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %20 = load i64, ptr %19, align 8
  call void @bundle_add_number(ptr noundef nonnull %4, i64 noundef %20) #17
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #15
  ret void
}

define internal fastcc signext i32 @run_case(ptr noundef readonly captures(none) %0, ptr noundef %1, ptr noundef nonnull captures(none) %2, ptr noundef %3) unnamed_addr #1 {
  %5 = alloca %struct.kernel_walk, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %7 = load i32, ptr %6, align 4
  %8 = icmp eq i32 %7, 0
  %9 = load ptr, ptr %2, align 8
  br i1 %8, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %51

13:
  %14 = phi ptr [ %9, %4 ], [ %62, %51 ]
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %18 = load i32, ptr %17, align 8
  %19 = tail call fastcc i64 @tensor_bytes(ptr noundef %16, i32 noundef signext %18) #16
  %20 = getelementptr inbounds nuw i8, ptr %14, i64 %19
  store ptr %20, ptr %2, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #15
  %21 = tail call fastcc ptr @code_of(ptr noundef %1, ptr noundef nonnull %0) #16
  store ptr %21, ptr %5, align 8
  %22 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %23 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %20, i64 %24
  store ptr %25, ptr %22, align 8
  %26 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store ptr %3, ptr %26, align 8
  %27 = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i32 1, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %5, i64 28
  store i32 0, ptr %28, align 4
  %29 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %30 = load ptr, ptr %29, align 8
  %31 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds nuw i8, ptr %2, i64 48
  %34 = load i32, ptr %33, align 8
  %35 = icmp eq i32 %34, 0
  %36 = select i1 %35, ptr null, ptr @look
  %37 = call fastcc signext i32 @execute(ptr noundef nonnull %0, ptr noundef %1, ptr noundef %30, ptr noundef %32, ptr noundef %36, ptr noundef nonnull %5) #16
  %38 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %39 = load i64, ptr %38, align 8
  %40 = load ptr, ptr %2, align 8
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 %39
  store ptr %41, ptr %2, align 8
  %42 = icmp eq i32 %37, 0
  %43 = load i32, ptr %27, align 8
  %44 = icmp ne i32 %43, 0
  %45 = select i1 %42, i1 %44, i1 false
  br i1 %45, label %46, label %67

46:
  %47 = load i32, ptr %17, align 8
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %101, label %49

49:
  %50 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %69

51:
  %52 = phi ptr [ %9, %10 ], [ %62, %51 ]
  %53 = phi i64 [ 0, %10 ], [ %63, %51 ]
  %54 = load ptr, ptr %11, align 8
  %55 = getelementptr inbounds nuw ptr, ptr %54, i64 %53
  store ptr %52, ptr %55, align 8
  %56 = load ptr, ptr %12, align 8
  %57 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %56, i64 %53
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 56
  %59 = load i64, ptr %58, align 8
  %60 = tail call fastcc i64 @padded(i64 noundef %59) #16
  %61 = load ptr, ptr %2, align 8
  %62 = getelementptr inbounds nuw i8, ptr %61, i64 %60
  store ptr %62, ptr %2, align 8
  %63 = add nuw nsw i64 %53, 1
  %64 = load i32, ptr %6, align 4
  %65 = zext i32 %64 to i64
  %66 = icmp samesign ult i64 %63, %65
  br i1 %66, label %51, label %13

67:
  %68 = select i1 %42, i32 15, i32 %37
  br label %101

69:
  %70 = phi i64 [ 0, %49 ], [ %97, %93 ]
  %71 = phi ptr [ %14, %49 ], [ %96, %93 ]
  %72 = load ptr, ptr %15, align 8
  %73 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %72, i64 %70
  %74 = getelementptr inbounds nuw i8, ptr %73, i64 56
  %75 = load i64, ptr %74, align 8
  %76 = getelementptr inbounds nuw i8, ptr %73, i64 72
  %77 = load i32, ptr %76, align 8
  %78 = zext i32 %77 to i64
  %79 = udiv i64 %75, %78
  %80 = getelementptr inbounds nuw i8, ptr %73, i64 68
  %81 = load i32, ptr %80, align 4
  %82 = load ptr, ptr %31, align 8
  %83 = getelementptr inbounds nuw ptr, ptr %82, i64 %70
  %84 = load ptr, ptr %83, align 8
  %85 = load ptr, ptr %50, align 8
  %86 = getelementptr inbounds nuw %struct.golden_bound, ptr %85, i64 %70
  %87 = call fastcc signext i32 @agree(i32 noundef signext %81, ptr noundef %84, ptr noundef %71, i64 noundef %79, i64 noundef %79, ptr noundef %86, ptr noundef %3) #16
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %89, label %93

89:
  %90 = load ptr, ptr %73, align 8
  %91 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr %90, ptr %91, align 8
  %92 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store ptr @.str.36, ptr %92, align 8
  br label %101

93:
  %94 = load i64, ptr %74, align 8
  %95 = call fastcc i64 @padded(i64 noundef %94) #16
  %96 = getelementptr inbounds nuw i8, ptr %71, i64 %95
  %97 = add nuw nsw i64 %70, 1
  %98 = load i32, ptr %17, align 8
  %99 = zext i32 %98 to i64
  %100 = icmp samesign ult i64 %97, %99
  br i1 %100, label %69, label %101

101:
  %102 = phi i32 [ %68, %67 ], [ 15, %89 ], [ 0, %46 ], [ 0, %93 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #15
  ret i32 %102
}

define internal void @look(ptr noundef captures(none) %0, i32 noundef signext %1, ptr noundef %2, ptr noundef %3, ptr noundef readonly captures(none) %4) #12 {
  %6 = load ptr, ptr %0, align 8
  %7 = load ptr, ptr %6, align 8
  %8 = zext i32 %1 to i64
  %9 = getelementptr inbounds nuw %struct.bundle_step, ptr %7, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 28
  %11 = load i32, ptr %10, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %18, label %13

13:
  %14 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %19

18:
  ret void

19:
  %20 = phi i32 [ %11, %13 ], [ %64, %63 ]
  %21 = phi i64 [ 0, %13 ], [ %65, %63 ]
  %22 = load ptr, ptr %0, align 8
  %23 = getelementptr inbounds nuw i8, ptr %22, i64 8
  %24 = load ptr, ptr %23, align 8
  %25 = load i32, ptr %14, align 8
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds nuw %struct.bundle_slot, ptr %24, i64 %26
  %28 = getelementptr inbounds nuw %struct.bundle_slot, ptr %27, i64 %21
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 12
  %30 = load i32, ptr %29, align 4
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %63, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %28, i64 8
  %34 = load i32, ptr %33, align 8
  %35 = tail call fastcc i64 @item_size(i32 noundef signext %34) #16
  %36 = getelementptr inbounds nuw i8, ptr %28, i64 24
  %37 = load i64, ptr %36, align 8
  %38 = udiv i64 %37, %35
  %39 = tail call i64 @llvm.umin.i64(i64 %38, i64 256)
  %40 = load i32, ptr %15, align 8
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %57, label %42

42:
  %43 = getelementptr inbounds nuw ptr, ptr %4, i64 %21
  %44 = load ptr, ptr %43, align 8
  %45 = load ptr, ptr %16, align 8
  %46 = icmp ugt i32 %34, 6
  %47 = zext i1 %46 to i64
  %48 = getelementptr inbounds nuw %struct.golden_bound, ptr @kernel_bounds, i64 %47
  %49 = load ptr, ptr %17, align 8
  %50 = tail call fastcc signext i32 @agree(i32 noundef signext %34, ptr noundef %44, ptr noundef %45, i64 noundef %39, i64 noundef %38, ptr noundef nonnull %48, ptr noundef %49) #16
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %52, label %57

52:
  store i32 0, ptr %15, align 8
  %53 = load ptr, ptr %17, align 8
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 8
  store ptr %2, ptr %54, align 8
  %55 = load ptr, ptr %17, align 8
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 16
  store ptr %3, ptr %56, align 8
  br label %57

57:
  %58 = mul nuw nsw i64 %39, %35
  %59 = tail call fastcc i64 @padded(i64 noundef %58) #16
  %60 = load ptr, ptr %16, align 8
  %61 = getelementptr inbounds nuw i8, ptr %60, i64 %59
  store ptr %61, ptr %16, align 8
  %62 = load i32, ptr %10, align 4
  br label %63

63:
  %64 = phi i32 [ %20, %19 ], [ %62, %57 ]
  %65 = add nuw nsw i64 %21, 1
  %66 = zext i32 %64 to i64
  %67 = icmp samesign ult i64 %65, %66
  br i1 %67, label %19, label %18
}

define internal fastcc signext range(i32 0, 2) i32 @agree(i32 noundef signext %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i64 noundef %4, ptr noundef readonly captures(none) %5, ptr noundef captures(none) %6) unnamed_addr #10 {
  %8 = tail call fastcc i64 @item_size(i32 noundef signext %0) #16
  %9 = icmp eq i64 %3, 0
  br i1 %9, label %69, label %19

10:
  %11 = load double, ptr %5, align 8
  %12 = fmul double %29, %11
  %13 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %14 = load double, ptr %13, align 8
  %15 = fadd double %12, %14
  %16 = icmp eq i64 %3, %4
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %18 = icmp ugt i32 %0, 6
  br label %32

19:
  %20 = phi double [ %29, %19 ], [ 0.000000e+00, %7 ]
  %21 = phi i64 [ %30, %19 ], [ 0, %7 ]
  %22 = mul i64 %21, %8
  %23 = getelementptr inbounds nuw i8, ptr %2, i64 %22
  %24 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %23) #16
  %25 = tail call fastcc double @magnitude(double noundef %24) #16
  %26 = fcmp ogt double %25, %20
  %27 = fcmp one double %25, 0x7FF0000000000000
  %28 = and i1 %26, %27
  %29 = select i1 %28, double %25, double %20
  %30 = add nuw i64 %21, 1
  %31 = icmp eq i64 %30, %3
  br i1 %31, label %10, label %19

32:
  %33 = phi i64 [ 0, %10 ], [ %67, %66 ]
  br i1 %16, label %37, label %34

34:
  %35 = mul i64 %33, %4
  %36 = udiv i64 %35, %3
  br label %37

37:
  %38 = phi i64 [ %36, %34 ], [ %33, %32 ]
  %39 = mul i64 %38, %8
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 %39
  %41 = mul i64 %33, %8
  %42 = getelementptr inbounds nuw i8, ptr %2, i64 %41
  %43 = tail call fastcc signext i32 @same_bytes(ptr noundef %40, ptr noundef %42, i64 noundef %8) #16
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %45, label %66

45:
  %46 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %40) #16
  %47 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %42) #16
  %48 = fsub double %46, %47
  %49 = tail call fastcc double @magnitude(double noundef %48) #16
  %50 = fcmp uno double %46, 0.000000e+00
  %51 = fcmp uno double %47, 0.000000e+00
  %52 = and i1 %50, %51
  br i1 %52, label %66, label %53

53:
  %54 = load double, ptr %17, align 8
  %55 = fcmp ugt double %49, %54
  br i1 %55, label %56, label %57

56:
  store double %49, ptr %17, align 8
  br label %57

57:
  %58 = fcmp ole double %49, %15
  %59 = fcmp ogt double %49, 0.000000e+00
  %60 = or i1 %18, %59
  %61 = and i1 %58, %60
  br i1 %61, label %66, label %62

62:
  %63 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 %38, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store double %46, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %6, i64 40
  store double %47, ptr %65, align 8
  br label %69

66:
  %67 = add nuw i64 %33, 1
  %68 = icmp eq i64 %67, %3
  br i1 %68, label %69, label %32

69:
  %70 = phi i32 [ 0, %62 ], [ 1, %7 ], [ 1, %66 ]
  ret i32 %70
}

define internal fastcc noundef double @magnitude(double noundef %0) unnamed_addr #0 {
  %2 = fcmp olt double %0, 0.000000e+00
  %3 = fneg double %0
  %4 = select i1 %2, double %3, double %0
  ret double %4
}

define internal fastcc double @value_of(i32 noundef signext %0, ptr noundef readonly captures(none) %1) unnamed_addr #9 {
  %3 = tail call fastcc i64 @item_size(i32 noundef signext %0) #16
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %5, label %7

5:
  %6 = phi i64 [ 0, %2 ], [ %15, %7 ]
  switch i32 %0, label %47 [
    i32 1, label %18
    i32 3, label %21
    i32 5, label %24
    i32 6, label %27
    i32 7, label %35
    i32 8, label %38
    i32 9, label %38
    i32 10, label %45
  ]

7:
  %8 = phi i64 [ %15, %7 ], [ 0, %2 ]
  %9 = phi i64 [ %16, %7 ], [ 0, %2 ]
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 %9
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i64
  %13 = shl nuw nsw i64 %9, 3
  %14 = shl i64 %12, %13
  %15 = or i64 %14, %8
  %16 = add nuw nsw i64 %9, 1
  %17 = icmp eq i64 %16, %3
  br i1 %17, label %5, label %7

18:
  %19 = trunc i64 %6 to i8
  %20 = sitofp i8 %19 to double
  br label %50

21:
  %22 = trunc i64 %6 to i16
  %23 = sitofp i16 %22 to double
  br label %50

24:
  %25 = trunc i64 %6 to i32
  %26 = sitofp i32 %25 to double
  br label %50

27:
  %28 = lshr i64 %6, 32
  %29 = trunc nuw i64 %28 to i32
  %30 = sitofp i32 %29 to double
  %31 = fmul double %30, 0x41F0000000000000
  %32 = trunc i64 %6 to i32
  %33 = uitofp i32 %32 to double
  %34 = fadd double %31, %33
  br label %50

35:
  %36 = trunc i64 %6 to i32
  %37 = tail call fastcc double @half_value(i32 noundef signext %36) #16
  br label %50

38:
  %39 = icmp eq i32 %0, 8
  %40 = shl i64 %6, 16
  %41 = select i1 %39, i64 %40, i64 %6
  %42 = trunc i64 %41 to i32
  %43 = bitcast i32 %42 to float
  %44 = fpext float %43 to double
  br label %50

45:
  %46 = bitcast i64 %6 to double
  br label %50

47:
  %48 = trunc i64 %6 to i32
  %49 = uitofp i32 %48 to double
  br label %50

50:
  %51 = phi double [ %49, %47 ], [ %20, %18 ], [ %23, %21 ], [ %26, %24 ], [ %34, %27 ], [ %37, %35 ], [ %44, %38 ], [ %46, %45 ]
  ret double %51
}

define internal fastcc double @half_value(i32 noundef signext %0) unnamed_addr #13 {
  %2 = lshr i32 %0, 10
  %3 = and i32 %2, 31
  %4 = and i32 %0, 1023
  switch i32 %3, label %12 [
    i32 31, label %7
    i32 0, label %5
  ]

5:
  %6 = uitofp nneg i32 %4 to double
  br label %16

7:
  %8 = icmp eq i32 %4, 0
  %9 = icmp ult i32 %0, 32768
  %10 = select i1 %9, double 0x7FF0000000000000, double 0xFFF0000000000000
  %11 = select i1 %8, double %10, double 0x7FF8000000000000
  br label %40

12:
  %13 = or disjoint i32 %4, 1024
  %14 = uitofp nneg i32 %13 to double
  %15 = icmp samesign ult i32 %3, 25
  br i1 %15, label %16, label %19

16:
  %17 = phi double [ %6, %5 ], [ %14, %12 ]
  %18 = tail call i32 @llvm.umax.i32(i32 %3, i32 1)
  br label %21

19:
  %20 = icmp eq i32 %3, 25
  br i1 %20, label %27, label %34

21:
  %22 = phi i32 [ %25, %21 ], [ %18, %16 ]
  %23 = phi double [ %24, %21 ], [ 1.000000e+00, %16 ]
  %24 = fmul double %23, 5.000000e-01
  %25 = add nuw nsw i32 %22, 1
  %26 = icmp eq i32 %25, 25
  br i1 %26, label %27, label %21

27:
  %28 = phi double [ %14, %19 ], [ %17, %21 ], [ %14, %34 ]
  %29 = phi double [ 1.000000e+00, %19 ], [ %24, %21 ], [ %37, %34 ]
  %30 = icmp ult i32 %0, 32768
  %31 = fneg double %28
  %32 = select i1 %30, double %28, double %31
  %33 = fmul double %32, %29
  br label %40

34:
  %35 = phi i32 [ %38, %34 ], [ 25, %19 ]
  %36 = phi double [ %37, %34 ], [ 1.000000e+00, %19 ]
  %37 = fmul double %36, 2.000000e+00
  %38 = add nuw nsw i32 %35, 1
  %39 = icmp eq i32 %38, %3
  br i1 %39, label %27, label %34

40:
  %41 = phi double [ %11, %7 ], [ %33, %27 ]
  ret double %41
}

declare i64 @llvm.umin.i64(i64, i64) #14

declare i32 @llvm.umax.i32(i32, i32) #14

declare i64 @llvm.umax.i64(i64, i64) #14

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
attributes #1 = { nounwind optsize "no-builtins" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { optsize "no-builtins" }
attributes #4 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: read) "no-builtins" }
attributes #5 = { mustprogress nofree norecurse nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #6 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #8 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #9 = { nofree norecurse nosync nounwind optsize memory(argmem: read) "no-builtins" }
attributes #10 = { nofree norecurse nosync nounwind optsize memory(argmem: readwrite) "no-builtins" }
attributes #11 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #12 = { nofree norecurse nosync nounwind optsize memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #13 = { nofree norecurse nosync nounwind optsize memory(none) "no-builtins" }
attributes #14 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #15 = { nounwind }
attributes #16 = { nobuiltin optsize "no-builtins" }
attributes #17 = { nobuiltin nounwind optsize "no-builtins" }
